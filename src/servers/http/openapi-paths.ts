import { type JsonRecord, setField } from "../../json/value.js";
import type { HttpRoute } from "../../registry/operation.js";
import type { RoutePlace } from "./openapi-routes.js";
import { OWN_PATHS } from "./operation-path.js";

/** Where a route stands in a document. */
export interface PlacedRoute {
  readonly path: string;
  readonly method: string;
  readonly places: readonly RoutePlace[];
  readonly hasBody: boolean;
}

/**
 * The paths of a document. To OpenAPI two paths that differ only in the names of their places are one: it has the names
 * that came first.
 */
export class OpenApiPaths {
  readonly items: JsonRecord = {};
  readonly #spelled = new Map<string, string>();

  /** `undefined` where the route leads elsewhere, or OpenAPI has no words for it. */
  place({ method, path }: HttpRoute): PlacedRoute | undefined {
    const shape = path.replaceAll(PLACE, "{}");
    const spelled = this.#spelled.get(shape) ?? path;
    const names = placesIn(spelled);
    const isTaken = this.#item(spelled)?.[method.toLowerCase()] !== undefined || isOurs(method, path);
    if (isTaken || new Set(names).size < names.length) return undefined;
    const fields = placesIn(path);
    return {
      path: spelled,
      method: method.toLowerCase(),
      places: fields.map((field, at) => ({ field, name: names[at] ?? field })),
      hasBody: method !== "GET" && method !== "DELETE",
    };
  }

  add(path: string, method: string, operation: JsonRecord): void {
    const item = this.#item(path) ?? {};
    this.#spelled.set(path.replaceAll(PLACE, "{}"), path);
    setField(item, method, operation);
    this.items[path] = item;
  }

  #item(path: string): JsonRecord | undefined {
    return Object.hasOwn(this.items, path) ? (this.items[path] as JsonRecord) : undefined;
  }
}

const PLACE = /\{([A-Za-z0-9_.-]+)\}/g;

function placesIn(path: string): string[] {
  return Array.from(path.matchAll(PLACE), ([, name = ""]) => name);
}

/** What the server answers by itself. */
function isOurs(method: string, path: string): boolean {
  if (path.startsWith("/operations/")) return true;
  return method === "GET" && OWN_PATHS.includes(path);
}
