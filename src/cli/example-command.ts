import { shellWord } from "../gateway/config/command-line.js";
import { orElse } from "../json/attempt.js";
import { isEqual, isRecord } from "../json/value.js";
import type { OperationSpec } from "../registry/operation.js";
import { operationIdOf } from "../registry/operation-id.js";
import { exampleOf } from "../schema/example.js";
import { inputFromWords } from "./call/call-input.js";

/** A command line that calls an operation with a small input that fits; it works as it is printed. */
export function exampleCommand(spec: OperationSpec, sourceWords: readonly string[] = []): string {
  const example = orElse(() => exampleOf(spec.inputSchema, "input"), undefined);
  const words = example === undefined ? [] : wordsFor(spec, example.value);
  return ["plico", "call", operationIdOf(spec), ...words, ...sourceWords].map(shellWord).join(" ");
}

function wordsFor(spec: OperationSpec, input: unknown): readonly string[] {
  const words = isRecord(input) ? Object.entries(input).flatMap(([name, value]) => wordsOf(spec, name, value)) : [];
  return means(spec, words, input) ? words : ["--input", JSON.stringify(input)];
}

/** The plainest way to say a field, of those that mean the same. */
function wordsOf(spec: OperationSpec, name: string, value: unknown): readonly string[] {
  const plain = [value].flat().map((item) => `${name}=${typeof item === "string" ? item : JSON.stringify(item)}`);
  return means(spec, plain, { [name]: value }) ? plain : [`${name}:=${JSON.stringify(value)}`];
}

function means(spec: OperationSpec, words: readonly string[], input: unknown): boolean {
  return orElse(() => isEqual(inputFromWords({ spec, words, cwd: "/" }) ?? {}, input ?? {}), false);
}
