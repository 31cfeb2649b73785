import type { OperationSpec } from "../registry/operation.js";
import { operationIdOf } from "../registry/operation-id.js";
import { CLIENT_NAMES, clientInterface, clientText, operationTable } from "./type-client.js";
import { OperationTypes } from "./type-operations.js";
import { TypePrinter } from "./type-print.js";
import { definitionText } from "./type-text.js";

export interface DeclarationsOptions {
  /**
   * How it was made, for the first line.
   * @default "plico types"
   */
  readonly command?: string;
  /** @default 120 */
  readonly width?: number;
}

/**
 * The operations as one file of TypeScript: what each takes, gives and fails with, and a client of them that needs
 * nothing else. The same operations give the same text, in whatever order they come.
 */
export function declarations(
  operations: readonly OperationSpec[],
  { command = "plico types", width = 120 }: DeclarationsOptions = {},
): string {
  const sorted = [...operations].sort((one, other) => (operationIdOf(one) < operationIdOf(other) ? -1 : 1));
  const printer = new TypePrinter({ width });
  const types = new OperationTypes(sorted, CLIENT_NAMES);
  const text = (definition: Parameters<typeof definitionText>[0]): string =>
    definitionText(definition, printer, "export ");
  const overview = text(types.overview());
  const parts = [header(command), overview, clientInterface(sorted, printer), ...types.definitions().map(text)];
  return `${[...parts, operationTable(sorted), clientText(printer)].join("\n\n")}\n`;
}

function header(command: string): string {
  return [
    `// Made by \`${command.replaceAll(/[\p{Cc}\u2028\u2029]/gu, " ")}\`. Do not change it: make it again.`,
    "// biome-ignore-all lint: made by a program",
    "// biome-ignore-all format: made by a program",
    "/* eslint-disable */",
  ].join("\n");
}
