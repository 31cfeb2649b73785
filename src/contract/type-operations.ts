import { categoryFromCode } from "../envelope/category.js";
import type { ErrorDeclaration, OperationSpec } from "../registry/operation.js";
import { operationIdOf } from "../registry/operation-id.js";
import { DefinitionNodes } from "../schema/definition-nodes.js";
import { type Loaded, loadSchema } from "../schema/load.js";
import { sharedDefinitionsOf } from "../schema/shared-definitions.js";
import { jsonSchemaOf, type SchemaSide } from "../schema/standard-schema.js";
import { type TypeDefinition, TypeDefinitions } from "./type-definitions.js";
import { docOf } from "./type-doc.js";
import { type FieldType, named, oneLine, quoted, type TypeExpression, unionOf } from "./type-expression.js";
import { DefinitionKeys } from "./type-keys.js";
import { TypeNames, typeName } from "./type-names.js";
import { TypeReader } from "./type-reader.js";

interface NamesOfOperation {
  readonly spec: OperationSpec;
  readonly input: string;
  readonly output: string;
}

/** The types of operations, each with a name that depends on no schema. */
export class OperationTypes {
  readonly #operations: readonly NamesOfOperation[];
  readonly #definitions: TypeDefinitions;
  readonly #keys = new DefinitionKeys();
  readonly #sets = new Map<object, DefinitionNodes>();
  readonly #own: TypeDefinition[] = [];

  constructor(operations: readonly OperationSpec[], taken: readonly string[]) {
    const names = new TypeNames(taken);
    this.#operations = operations.map((spec) => {
      const name = typeName(spec.namespace, spec.name);
      return { spec, input: names.give(`${name}Input`), output: names.give(`${name}Output`) };
    });
    this.#definitions = new TypeDefinitions(names);
  }

  /** `Operations`: what there is, by id. */
  overview(): TypeDefinition {
    const fields = this.#operations.map((operation) => this.#told(operation));
    return { name: "Operations", type: { kind: "object", fields }, doc: ["What there is, by id."] };
  }

  /** The types of all operations, and then those that they share. */
  definitions(): readonly TypeDefinition[] {
    const shared = this.#definitions.finish();
    return [...this.#own, ...shared];
  }

  #told({ spec, input, output }: NamesOfOperation): FieldType {
    this.#own.push({ name: input, ...this.#read(spec, "input") }, { name: output, ...this.#read(spec, "output") });
    const errors = Object.entries(spec.errorSchemas ?? {}).map(([code, declared]) => this.#error(code, declared));
    const fields = [
      field("type", named(quoted(spec.type))),
      field("input", named(input)),
      field("output", named(output)),
      field("errors", unionOf(errors)),
    ];
    return field(operationIdOf(spec), { kind: "object", fields });
  }

  #read(spec: OperationSpec, side: SchemaSide): Omit<TypeDefinition, "name"> {
    const document = jsonSchemaOf(() => (side === "input" ? spec.inputSchema : spec.outputSchema), side);
    return { type: this.#typeOf(document), doc: docOf(document) };
  }

  #error(code: string, { category, details }: ErrorDeclaration): TypeExpression {
    const kind = category ?? categoryFromCode(code) ?? "execution";
    const type = details === undefined ? "" : `, ${oneLine(this.#typeOf(jsonSchemaOf(() => details, "output")))}`;
    return named(`DeclaredError<${quoted(code)}, ${quoted(kind)}${type}>`);
  }

  #typeOf(document: unknown): TypeExpression {
    const { graph } = this.#load(document);
    const reader = new TypeReader({
      document,
      graph,
      definitions: this.#definitions,
      keyOf: this.#keys.of(document),
    });
    return reader.typeOf(graph.root);
  }

  /** What many schemas define in common is read once. */
  #load(document: unknown): Loaded {
    const shared = sharedDefinitionsOf(document);
    if (shared === undefined) return loadSchema(document);
    const nodes = this.#sets.get(shared.set) ?? new DefinitionNodes();
    this.#sets.set(shared.set, nodes);
    return nodes.load(document, shared);
  }
}

function field(name: string, type: TypeExpression): FieldType {
  return { name, type, isOptional: false, doc: [] };
}
