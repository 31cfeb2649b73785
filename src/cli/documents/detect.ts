import { find } from "../../dialects/detect.js";
import type { Command } from "../command.js";
import { worst } from "../io.js";
import { styleFor } from "../terminal/style.js";
import { tellLine } from "../terminal/tell.js";
import { placeText } from "./carrier-place.js";
import { tellFault, tellStranger } from "./complaints.js";
import { readInput } from "./input.js";

export const detectCommand: Command = {
  name: "detect",
  usage: "[FILE]",
  summary: "Tells the dialect of a document, and the marker that gave it away.",
  flags: {},
  async run(call, io) {
    const style = styleFor(io.stdout, io);
    const { documents } = await readInput(call, io);
    const codes = documents.map((document) => {
      if ("fault" in document) return tellFault(document, io);
      const found = find(document.value, { deep: true });
      if (found === undefined) return tellStranger(document, io);
      tellLine(io.stdout, `${style.bold(found.dialect.name)}${placeText(found.carrier)}: ${found.dialect.marker}`);
      return 0;
    });
    return worst(codes);
  },
};
