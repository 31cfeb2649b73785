import type { Command } from "./command.js";
import { Complaint } from "./io.js";

export const describeCommand: Command = {
  name: "describe",
  usage: "",
  summary: "",
  takes: "words",
  flags: {},
  run() {
    throw new Complaint("not built yet", 2);
  },
};
