import { DIALECTS } from "../../dialects/all.js";
import { flagName, HELPER_OPTIONS } from "../../helper/flag-name.js";
import { printJson } from "../../json/printable.js";
import { getAt } from "../../json/residue.js";
import { isRecord, isString, type JsonRecord } from "../../json/value.js";
import type { OperationSpec } from "../../registry/operation.js";
import { TYPE } from "../../schema/node.js";
import { typesOfNode } from "../../schema/possible-types.js";
import { readSchema } from "../../schema/standard-schema.js";
import type { InputField } from "../input-fields.js";

/** What `--help` prints. */
export function helpOf(spec: OperationSpec, fields: readonly InputField[]): string {
  const schema = readSchema(spec.inputSchema, "input").json;
  const flags = fields.filter(({ name }) => !HELPER_OPTIONS.includes(flagName(name)));
  const rows = flags.map((field) => rowOf(field, wordsOf(field, schema)));
  const width = Math.max(...[...rows, ...OPTIONS].map(([flag]) => flag.length));
  const line = ([flag, help]: Row): string => `  ${flag.padEnd(width)}  ${help}`.trimEnd();
  return [
    `${spec.title ?? spec.name} ${spec.version}`,
    ...(spec.description === "" ? [] : [spec.description]),
    ...(rows.length === 0 ? [] : ["", "Input:", ...rows.map(line)]),
    "",
    "Options:",
    ...OPTIONS.map(line),
    "",
  ].join("\n");
}

type Row = readonly [flag: string, help: string];

const OPTIONS: readonly Row[] = [
  ["--input JSON|@FILE|-", "the whole input as JSON, from a file, or from standard input; flags add to it"],
  ["--schema", "print version, input schema and output schema as JSON"],
  [
    "--envelope NAME",
    `the format of the answer: ${DIALECTS.map(({ name }) => name).join(", ")} (default helper-output)`,
  ],
  ["--expect-major N", "fail where the major version is another one"],
  ["--agent NAME", "the agent that the answer is for (default: told by the environment)"],
  ["--help", "show this help"],
];

function rowOf(field: InputField, words: JsonRecord): Row {
  const { description, default: preset } = words;
  const notes = [
    isString(description) ? description.replaceAll(/\s+/g, " ").trim() : "",
    field.isRequired && preset === undefined ? "(required)" : "",
    preset === undefined ? "" : `(default ${printJson(preset)})`,
    field.form === "list" ? "(may be repeated)" : "",
  ];
  const value = valueWord(field, words);
  return [`--${flagName(field.name)}${value === "" ? "" : ` ${value}`}`, notes.filter((note) => note !== "").join(" ")];
}

/** What the schema says of a field in words. */
function wordsOf({ schemas: [node] }: InputField, schema: unknown): JsonRecord {
  const words = node === undefined ? undefined : getAt(schema, node.at);
  return isRecord(words) ? words : {};
}

const WORDS: readonly (readonly [types: number, word: string])[] = [
  [TYPE.boolean, ""],
  [TYPE.integer, "INTEGER"],
  [TYPE.number, "NUMBER"],
  [TYPE.string, "TEXT"],
];

function valueWord({ form, schemas }: InputField, { enum: choices }: JsonRecord): string {
  if (form === "json") return "JSON";
  if (Array.isArray(choices)) return choices.map(String).join("|");
  const types = schemas.reduce((sum, schema) => sum | typesOfNode(schema), 0) & ~(TYPE.null | TYPE.undefined);
  return WORDS.find(([known]) => (types & ~known) === 0)?.[1] ?? "TEXT";
}
