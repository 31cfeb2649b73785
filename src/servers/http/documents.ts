import type { Identity } from "../../registry/access.js";
import type { OperationSpec } from "../../registry/operation.js";
import { describeOperation, listOperations } from "./listing.js";
import { openApiDocument } from "./openapi-document.js";
import type { HttpServerOptions } from "./options.js";
import type { ServedOperation, ServedOperations } from "./served-operations.js";

/** Those that differ by who asks are few; more are not kept. */
const MOST_KEPT = 20;

/** What a client is asked for that has not said who it is; what `authorize` really wants it alone knows. */
const BEARER = { bearer: { type: "http", scheme: "bearer" } };

/** What a server says of itself: to each caller only the operations that it may call. */
export class Documents {
  readonly #operations: ServedOperations;
  readonly #options: HttpServerOptions;
  readonly #kept = new Map<string, string>();
  #edition: object | undefined;

  constructor(operations: ServedOperations, options: HttpServerOptions) {
    this.#operations = operations;
    this.#options = options;
  }

  openApi(identity: Identity | undefined): string {
    const { info, basePath, authorize } = this.#options;
    const securitySchemes = authorize === undefined ? {} : BEARER;
    return this.#printed("openapi", identity, (specs) => openApiDocument(specs, { info, basePath, securitySchemes }));
  }

  list(identity: Identity | undefined): string {
    return this.#printed("list", identity, (specs) => listOperations(specs, { basePath: this.#options.basePath }));
  }

  describe({ spec }: ServedOperation): string {
    return JSON.stringify(describeOperation(spec, { basePath: this.#options.basePath }));
  }

  health(): string {
    return JSON.stringify({ status: "ok", operations: this.#operations.all.length });
  }

  #printed(kind: string, identity: Identity | undefined, make: (specs: readonly OperationSpec[]) => unknown): string {
    if (this.#edition !== this.#operations.edition) this.#kept.clear();
    this.#edition = this.#operations.edition;
    const shown = this.#operations.shownTo(identity);
    const key = `${kind} ${shown.map(({ namespace, name }) => `${namespace}.${name}`).join(" ")}`;
    const kept = this.#kept.get(key);
    if (kept !== undefined) return kept;
    const text = JSON.stringify(make(shown));
    if (this.#kept.size >= MOST_KEPT) this.#kept.clear();
    this.#kept.set(key, text);
    return text;
  }
}
