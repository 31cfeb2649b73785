import { isCallError } from "../../envelope/call-error.js";
import type { Warning } from "../../envelope/warning.js";
import { orElse } from "../../json/attempt.js";
import type { JsonSchema, JsonSchemaObject } from "../../json/json-schema.js";
import { isRecord, type JsonRecord, omit } from "../../json/value.js";
import { uniqueName } from "../../registry/portable-name.js";
import { warningsOf } from "../../schema/compile.js";
import { DefinitionNodes } from "../../schema/definition-nodes.js";
import { Evaluator } from "../../schema/evaluate.js";
import { type CheckedSchema, type Example, exampleFor } from "../../schema/example.js";
import { type Loaded, loadSchema } from "../../schema/load.js";
import { isAnything, type Node, TYPE } from "../../schema/node.js";
import { typesOfNode } from "../../schema/possible-types.js";
import { sharedDefinitionsOf } from "../../schema/shared-definitions.js";
import { type AnySchema, readSchema, type SchemaSide } from "../../schema/standard-schema.js";
import { ComponentCopy, type SharedNames } from "./component-copy.js";

/** A schema in a document, and what is known of it. */
export interface Component {
  readonly reference: SchemaReference;
  /** As it was given, but of one side only. */
  readonly checked: CheckedSchema;
  /** None where JSON Schema cannot say all that an example has to match. */
  readonly example: Example | undefined;
  readonly root: Node;
  /** A sum of `TYPE` bits. */
  readonly types: number;
  readonly warnings: readonly Warning[];
  /** A part of the schema, to stand anywhere in the document. */
  copyOf(part: Node): JsonSchemaObject;
}

export type SchemaReference = { readonly $ref: string };

const LONGEST_NAME = 200;

/** The schemas of an OpenAPI document by their names. */
export class SchemaComponents {
  readonly schemas: JsonRecord;
  readonly #sets = new Map<object, SharedComponents>();

  constructor(given: JsonRecord = {}) {
    this.schemas = given;
  }

  /** The name gets a number where it is taken. What cannot be shown, or cannot be had, is open, and told. */
  add(wanted: string, schema: () => AnySchema, side: SchemaSide): Component {
    const name = this.#freeName(wanted);
    const { json, lacking } = readOneSide(schema, side);
    const { loaded, shared } = this.#load(json, side);
    const { graph, faults } = loaded;
    const { root } = graph;
    // Generated code would be faster, and is not worth its making for a value or two.
    const evaluator = new Evaluator(graph);
    const warnings = faults.length === 0 ? lacking : [...lacking, ...warningsOf(faults)];
    const nameFor = (part: string): string => this.#freeName(`${name}.${part}`);
    const copy = new ComponentCopy(json, faults, { name, nameFor, schemas: this.schemas, shared });
    const types = typesOfNode(root);
    const isShown = copy.addRoot();
    const accepts = (value: unknown): boolean => evaluator.accepts(root, value);
    const checked = { schema: json, acceptsAll: isAnything(root), accepts };
    if (!isShown) this.schemas[name] = types === TYPE.object ? { type: "object" } : {};
    return {
      reference: { $ref: `#/components/schemas/${name}` },
      checked,
      example: lacking.length === 0 ? exampleFor(checked) : undefined,
      root,
      types,
      warnings: isShown ? warnings : [...warnings, NOT_SHOWN],
      copyOf: ({ at, resource }) => (isShown ? orElse(() => copy.copyAt(at, resource), {}) : {}),
    };
  }

  #load(json: JsonSchema, side: SchemaSide): { loaded: Loaded; shared?: SharedComponents } {
    const found = sharedDefinitionsOf(json);
    if (found === undefined) return { loaded: loadSchema(json) };
    const shared = this.#sets.get(found.set) ?? this.#newSet(side);
    this.#sets.set(found.set, shared);
    return { loaded: shared.nodes.load(json, found), shared };
  }

  #newSet(side: SchemaSide): SharedComponents {
    const end = side === "input" ? ".input" : "";
    const nameFor = (definition: string): string => this.#freeName(`${definition}${end}`);
    return { nodes: new DefinitionNodes(), known: new Map(), nameFor };
  }

  #freeName(wanted: string): string {
    return uniqueName(wanted, { has: (name) => Object.hasOwn(this.schemas, name) }, LONGEST_NAME);
  }
}

/** What is made of definitions that many schemas have. */
interface SharedComponents extends SharedNames {
  readonly nodes: DefinitionNodes;
}

const NOT_SHOWN = unsupported("The schema is not shown: it is too large.");

interface OneSide {
  readonly json: JsonSchema;
  /** What JSON Schema has no words for, or why there is none. */
  readonly lacking: readonly Warning[];
}

/** The JSON Schema of one side, without the mark of its library, by which it would be taken for one of two sides. */
export function readOneSide(schema: () => AnySchema, side: SchemaSide): OneSide {
  try {
    const { json, lacking } = readSchema(schema(), side);
    const bare = isRecord(json) && "~standard" in json ? omit(json, ["~standard"]) : json;
    return { json: bare, lacking: lacking === undefined ? [] : [unsupported(lacking.message)] };
  } catch (thrown) {
    return {
      json: {},
      lacking: [unsupported(`The schema is not shown: ${isCallError(thrown) ? thrown.message : "it cannot be had."}`)],
    };
  }
}

function unsupported(message: string): Warning {
  return { code: "SCHEMA_UNSUPPORTED", message };
}
