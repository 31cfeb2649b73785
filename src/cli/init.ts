import type { Command } from "./command.js";
import { Complaint } from "./io.js";

export const initCommand: Command = {
  name: "init",
  usage: "",
  summary: "",
  takes: "words",
  flags: {},
  run() {
    throw new Complaint("not built yet", 2);
  },
};
