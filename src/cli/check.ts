import { DIALECTS, dialectNamed } from "../dialects/all.js";
import { findForCheck } from "../dialects/convert.js";
import type { Dialect, Violation } from "../dialects/dialect.js";
import { majorOf } from "../dialects/helper-output-rules.js";
import { isRecord } from "../json/value.js";
import { placeJson, placeText } from "./carrier-place.js";
import { type Call, type Command, usageError } from "./command.js";
import { tellFault, tellStranger } from "./complaints.js";
import { type Document, type Input, readInput } from "./input.js";
import { type ExitCode, type Io, worst } from "./io.js";
import { type Style, styleFor } from "./style.js";
import { tell } from "./tell.js";

export const checkCommand: Command = {
  name: "check",
  usage: "[FILE] [--as NAME] [--expect-major N] [--json]",
  summary: "Names every rule of its dialect that a document breaks, and where.",
  flags: {
    as: { type: "string", value: "NAME", help: "check as this dialect, whatever the document seems to be" },
    "expect-major": { type: "string", value: "N", help: "demand this major of a helper's schema_version" },
    json: { type: "boolean", help: "print the violations as JSON" },
  },
  notes: [`Dialects: ${DIALECTS.map(({ name }) => name).join(", ")}`],
  async run(call, io) {
    const as = call.value("as");
    if (as !== undefined && dialectNamed(as) === undefined) {
      const known = DIALECTS.map(({ name }) => name).join(", ");
      throw usageError(checkCommand, `there is no dialect "${as}"; known: ${known}`);
    }
    call.count("expect-major");
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
  const valid = violations.every(({ level }) => level === "advice");
  const shown = { dialect: dialect.name, ...placeJson(carrier), valid, violations };
  if (call.flag("json")) io.stdout.write(`${JSON.stringify(shown, null, lines ? undefined : 2)}\n`);
  else tell(io.stdout, report(`${document.label}${placeText(carrier)}`, dialect, violations, styleFor(io.stdout, io)));
  return valid ? 0 : 1;
}

function majorViolations(document: unknown, dialect: Dialect, major: number | undefined): Violation[] {
  if (major === undefined) return [];
  const broken = { rule: "UNSUPPORTED_VERSION", level: "fatal" } as const;
  if (dialect.name !== "helper-output") {
    return [
      {
        rule: "helper-output",
        level: "fatal",
        path: "",
        message: `major ${major} of a helper is expected, and this is ${dialect.name}`,
      },
    ];
  }
  const version = isRecord(document) ? document["schema_version"] : undefined;
  const found = majorOf(version);
  if (found === undefined || found === major) return [];
  return [{ ...broken, path: "/schema_version", message: `it is ${String(version)}, and major ${major} is expected` }];
}

function report(label: string, { name, rules }: Dialect, violations: readonly Violation[], style: Style): string {
  const broken = violations.filter(({ level }) => level !== "advice");
  const count = broken.length === 1 ? "1 rule is broken" : `${broken.length} rules are broken`;
  const verdict = broken.length === 0 ? style.green(`valid ${name}`) : style.red(`${name}, ${count}`);
  const rows = violations.map(({ path, rule, level, message }) => {
    const mark = level === "advice" ? style.yellow("advice") : style.red("broken");
    const demand = rules[rule]?.demand;
    return `  ${mark} ${path === "" ? "(document)" : path}: ${style.bold(rule)}: ${message}${demand === undefined ? "" : style.dim(` — ${demand}`)}`;
  });
  return `${[`${label}: ${verdict}`, ...rows].join("\n")}\n`;
}
