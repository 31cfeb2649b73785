import { createRedactor } from "../gateway/redact.js";
import { printJson } from "../json/printable.js";
import { operationIdOf } from "../registry/operation-id.js";
import { type Command, usageError } from "./command.js";
import { keepOperations } from "./completion/completion-cache.js";
import { describedOperation } from "./description.js";
import { descriptionText } from "./description-text.js";
import type { ExitCode } from "./io.js";
import { withOperation } from "./operation-choice.js";
import { configOf, SOURCE_FLAGS, sourceWords } from "./sources.js";
import { interruptible } from "./terminal/interruption.js";
import { styleFor } from "./terminal/style.js";
import { tell } from "./terminal/tell.js";

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
    const { text: redacted } = createRedactor(loaded.secrets);
    return interruptible(io, (signal) =>
      withOperation(word, { loaded, signal, io }, async (gateway, spec): Promise<ExitCode> => {
        const words = sourceWords(call).map(redacted);
        const operation = describedOperation(spec, gateway.sourceOf(operationIdOf(spec)), words);
        if (call.flag("json")) io.stdout.write(`${printJson(operation, 2)}\n`);
        else tell(io.stdout, descriptionText(operation, styleFor(io.stdout, io)));
        keepOperations(gateway, io, (one) => one === spec);
        return 0;
      }),
    );
  },
};
