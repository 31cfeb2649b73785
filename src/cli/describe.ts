import { printJson } from "../json/printable.js";
import { type Call, type Command, usageError } from "./command.js";
import { complaintFrom } from "./complaint-from.js";
import { keepOperations } from "./completion-cache.js";
import { describedOperation } from "./description.js";
import { descriptionText } from "./description-text.js";
import type { ExitCode } from "./io.js";
import { idOf, withOperation } from "./operation-choice.js";
import { configOf, SOURCE_FLAGS } from "./sources.js";
import { styleFor } from "./style.js";
import { tell } from "./tell.js";

export const describeCommand: Command = {
  name: "describe",
  usage: "OPERATION [--json] [source options]",
  summary: "Shows what an operation takes, gives and fails with, and how it is called.",
  takes: "words",
  flags: {
    json: { type: "boolean", help: "print the same as JSON, with the schemas as they are" },
    ...SOURCE_FLAGS,
  },
  notes: ["OPERATION is NAMESPACE.NAME; the NAME alone is enough where only one source has it."],
  async run(call, io) {
    const [word, ...more] = call.words;
    if (word === undefined) throw usageError(describeCommand, "OPERATION is missing; `plico ls` lists what there is");
    if (more.length > 0) throw usageError(describeCommand, `one OPERATION is expected, not ${call.words.length}`);
    const loaded = await configOf(describeCommand, call, io);
    const shown = withOperation(word, { loaded }, async (gateway, spec): Promise<ExitCode> => {
      const operation = describedOperation(spec, gateway.sourceOf(idOf(spec)), sourceWords(call));
      if (call.flag("json")) io.stdout.write(`${printJson(operation, 2)}\n`);
      else tell(io.stdout, descriptionText(operation, styleFor(io.stdout, io)));
      keepOperations(gateway, io, (one) => one === spec);
      return 0;
    });
    return shown.catch((thrown) => {
      throw complaintFrom(thrown);
    });
  },
};

/** The flags that name the sources, so that an example has them too. */
function sourceWords(call: Call): readonly string[] {
  return Object.keys(SOURCE_FLAGS).flatMap((name) => {
    const given = SOURCE_FLAGS[name]?.multiple === true ? call.values(name) : [call.value(name) ?? []].flat();
    return given.flatMap((value) => [`--${name}`, value]);
  });
}
