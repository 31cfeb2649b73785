import { find } from "../dialects/detect.js";
import type { Command } from "./command.js";
import { readInput } from "./input.js";
import { worst } from "./io.js";
import { faultOf, strangerText } from "./stranger.js";
import { styleFor } from "./style.js";

export const detectCommand: Command = {
  name: "detect",
  usage: "[FILE]",
  summary: "Tells the dialect of a document, and the marker that gave it away.",
  flags: {},
  async run(call, io) {
    const style = styleFor(io.stdout, io);
    const { documents } = await readInput(call, io);
    const codes = documents.map((document) => {
      if ("fault" in document) return faultOf(document, io);
      const found = find(document.value, { deep: true });
      if (found === undefined) {
        io.stderr.write(`plico: ${document.label}: ${strangerText(document.value)}\n`);
        return 1;
      }
      const place = found.carrier === undefined ? "" : ` in ${found.carrier.path} of ${found.carrier.dialect.name}`;
      io.stdout.write(`${style.bold(found.dialect.name)}${place}: ${found.dialect.marker}\n`);
      return 0;
    });
    return worst(codes);
  },
};
