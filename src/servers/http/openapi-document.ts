import { compact, type JsonRecord } from "../../json/value.js";
import type { OperationSpec } from "../../registry/operation.js";
import { portableName, uniqueName } from "../../registry/portable-name.js";
import { sharedResponses } from "./openapi-errors.js";
import { OpenApiOperation } from "./openapi-operation.js";
import { HEADERS, PARAMETERS } from "./openapi-parts.js";
import { OpenApiPaths } from "./openapi-paths.js";
import { routeParts, wholeBody } from "./openapi-routes.js";
import { sharedSchemas } from "./openapi-schemas.js";
import { operationPath } from "./operation-path.js";
import type { ApiInfo } from "./options.js";
import { SchemaComponents } from "./schema-components.js";

export interface OpenApiOptions {
  readonly info?: ApiInfo | undefined;
  /** Comes before every path. */
  readonly basePath?: string | undefined;
  /** How callers make themselves known, in the words of OpenAPI and by the names that clients use for it. */
  readonly securitySchemes?: Readonly<Record<string, JsonRecord>> | undefined;
}

const DESCRIPTION = `Every operation is called by \`POST /operations/{id}\` with its input as JSON; some have a path of their own
beside. Answers are documents of response-v2, unless \`Accept\` names another format:
\`application/vnd.plico.response-envelope+json\`, \`application/json;profile=data\` for the bare data,
\`application/problem+json\` for failures as RFC 9457 tells them, \`text/event-stream\` for progress while a call runs.`;

/** What operations are called by over HTTP, as a document of OpenAPI 3.1. */
export function openApiDocument(specs: readonly OperationSpec[], options: OpenApiOptions = {}): JsonRecord {
  const { info, basePath = "", securitySchemes = {} } = options;
  const components = new SchemaComponents(sharedSchemas());
  const { paths } = new Operations(specs, components, Object.keys(securitySchemes));
  return {
    openapi: "3.1.1",
    info: { title: "Plico operations", version: "1.0.0", description: DESCRIPTION, ...compact(info ?? {}) },
    servers: [{ url: basePath === "" ? "/" : basePath }],
    tags: tagsOf(specs),
    security: Object.keys(securitySchemes).map((name) => ({ [name]: [] })),
    paths: paths.items,
    components: {
      schemas: components.schemas,
      responses: sharedResponses(),
      parameters: PARAMETERS,
      headers: HEADERS,
      ...(Object.keys(securitySchemes).length > 0 && { securitySchemes }),
    },
  };
}

class Operations {
  readonly paths = new OpenApiPaths();
  readonly #taken = new Set<string>();
  readonly #schemes: readonly string[];

  constructor(specs: readonly OperationSpec[], components: SchemaComponents, schemes: readonly string[]) {
    this.#schemes = schemes;
    const operations = specs.map((spec) => {
      const operationId = this.#nameFor(`${spec.namespace}_${spec.name}`);
      return { operationId, operation: new OpenApiOperation(spec, operationId, components, schemes.length > 0) };
    });
    for (const { operationId, operation } of operations) {
      const { id, input, plico } = operation;
      this.#add(operationPath(id), "post", operation, operation.described(operationId, wholeBody(input), plico));
    }
    for (const { operationId, operation } of operations) this.#addRoute(operation, operationId);
  }

  #addRoute(operation: OpenApiOperation, operationId: string): void {
    const { id, spec, input } = operation;
    const route = spec.http === undefined ? undefined : this.paths.place(spec.http);
    if (route === undefined) return;
    const { path, method, places, hasBody } = route;
    const name = this.#nameFor(`${operationId}_${method}`);
    const described = operation.described(name, routeParts(input, places, hasBody), { id, route: true });
    this.#add(path, method, operation, described);
  }

  #add(path: string, method: string, { spec }: OpenApiOperation, described: JsonRecord): void {
    const scopes = spec.accessControl?.requiredScopes ?? [];
    const security = this.#schemes.map((name) => ({ [name]: scopes }));
    const isSpecial = security.length > 0 && scopes.length > 0;
    this.paths.add(path, method, isSpecial ? { ...described, security } : described);
  }

  #nameFor(wanted: string): string {
    const name = uniqueName(portableName(wanted), this.#taken);
    this.#taken.add(name);
    return name;
  }
}

function tagsOf(specs: readonly OperationSpec[]): JsonRecord[] {
  const names = new Set(specs.flatMap(({ namespace, tags = [] }) => [namespace, ...tags]));
  return Array.from(names, (name) => ({ name }));
}
