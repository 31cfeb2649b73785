import { DIALECT_NAMES } from "../../dialects/all.js";
import { findForCheck } from "../../dialects/convert.js";
import { type Call, type Command, usageError } from "../command.js";
import { type ExitCode, type Io, worst } from "../io.js";
import { styleFor } from "../terminal/style.js";
import { tell } from "../terminal/tell.js";
import { placeJson, placeText } from "./carrier-place.js";
import { tellFault, tellStranger } from "./complaints.js";
import { type Document, type Input, readInput } from "./input.js";
import { isValid, majorViolations, violationsText } from "./violations.js";

export const checkCommand: Command = {
  name: "check",
  usage: `[FILE] [--as NAME] [--expect-major N] [--json]
       plico check --fixture FILE [--update] [--timeout SECONDS] [--expect-major N] [--json] -- COMMAND…`,
  summary: `Names every rule of its dialect that a document breaks, and where; or runs a helper and compares the shape of its
output with a captured one.`,
  runsWith: "fixture",
  flags: {
    as: {
      type: "string",
      value: "NAME",
      choices: DIALECT_NAMES,
      help: "check as this dialect, whatever the document seems to be",
    },
    "expect-major": { type: "string", value: "N", help: "demand this major of a helper's schema_version" },
    json: { type: "boolean", help: "print the violations, or the changes, as JSON" },
    fixture: { type: "string", value: "FILE", help: "compare with this what the COMMAND prints" },
    update: { type: "boolean", help: "with --fixture: capture what the COMMAND prints" },
    timeout: { type: "string", value: "SECONDS", help: "with --fixture: end the COMMAND after this time (default 60)" },
  },
  async run(call, io) {
    call.count("expect-major");
    if (call.value("fixture") !== undefined) return (await import("./fixture.js")).checkFixture(checkCommand, call, io);
    for (const name of ["update", "timeout"])
      if (call.flag(name) || call.value(name) !== undefined)
        throw usageError(checkCommand, `--${name} goes with --fixture`);
    const input = await readInput(call, io);
    return worst(input.documents.map((document) => checkDocument(document, input, call, io)));
  },
};

function checkDocument(document: Document, { lines }: Input, call: Call, io: Io): ExitCode {
  if ("fault" in document) return tellFault(document, io);
  const as = call.value("as");
  const found = findForCheck(document.value, { deep: true, ...(as !== undefined && { as }) });
  if (found === undefined) return tellStranger(document, io);
  const { dialect, carrier } = found;
  const violations = [
    ...dialect.validate(found.document),
    ...majorViolations(found.document, dialect, call.count("expect-major")),
  ];
  const valid = isValid(violations);
  const shown = { dialect: dialect.name, ...placeJson(carrier), valid, violations };
  if (call.flag("json")) io.stdout.write(`${JSON.stringify(shown, null, lines ? undefined : 2)}\n`);
  else {
    const label = `${document.label}${placeText(carrier)}`;
    tell(io.stdout, `${violationsText(label, dialect, violations, styleFor(io.stdout, io))}\n`);
  }
  return valid ? 0 : 1;
}
