import { loadSchema } from "../schema/load.js";
import { below, type Graph, inPlace, type Node } from "../schema/node.js";
import { jsonSchemaOf, type SchemaSide } from "../schema/standard-schema.js";
import { type TypeDefinition, TypeDefinitions } from "./type-definitions.js";
import { isNamedPart } from "./type-keys.js";
import { type PrintOptions, TypePrinter } from "./type-print.js";
import { TypeReader } from "./type-reader.js";

export interface TypeTextOptions extends PrintOptions {
  /**
   * Which side of a schema that converts.
   * @default "output"
   */
  readonly side?: SchemaSide;
}

/**
 * A schema as readable TypeScript: the type, and after an empty line the definitions that it refers to. Never throws;
 * what TypeScript cannot say, and what is too large to read, is `unknown`.
 */
export function typeText(schema: unknown, { side = "output", ...options }: TypeTextOptions = {}): string {
  const document = jsonSchemaOf(() => schema, side);
  const { graph } = loadSchema(document);
  const definitions = new TypeDefinitions();
  const isShared = sharedParts(graph);
  const keyOf = (node: Node): unknown => (isShared(node) ? node : undefined);
  const printer = new TypePrinter(options);
  const type = printer.print(new TypeReader({ document, graph, definitions, keyOf }).typeOf(graph.root));
  return [type, ...definitions.finish().map((definition) => definitionText(definition, printer))].join("\n\n");
}

export function definitionText({ name, type, doc }: TypeDefinition, printer: TypePrinter, before = ""): string {
  const comment = printer.comment(doc, "");
  if (type.kind === "object" && type.fields.length > 0)
    return `${comment}${before}interface ${name} ${printer.object(type, "")}`;
  const head = `${before}type ${name} =`;
  return `${comment}${head}${printer.hanging(type, "", head.length)};`;
}

/** The definitions that would have to be told more than once. */
function sharedParts({ nodes }: Graph): (node: Node) => boolean {
  const uses = new Map<Node, number>();
  for (const node of nodes)
    for (const inner of [...inPlace(node), ...below(node)]) uses.set(inner, (uses.get(inner) ?? 0) + 1);
  return (node) => isNamedPart(node) && (node.recursive === true || (uses.get(node) ?? 0) > 1);
}
