import { type JsonPointer, pointerTo } from "../json/pointer.js";

/** What a schema has to say about a value that is passed on all the same. */
export interface SchemaWarning {
  readonly code: ChangeCode | "OUTPUT_MISMATCH" | "SCHEMA_UNSUPPORTED";
  readonly message: string;
  readonly path?: JsonPointer;
  /** How often; `path` is then the first place. */
  readonly count?: number;
}

export type ChangeCode = "OUTPUT_STRIPPED" | "OUTPUT_FILLED" | "OUTPUT_CONVERTED";

/** A step of a path: the name of a field, or `undefined` where an index or any name may stand. */
export type Step = string | undefined;

/** The indexes and names that stand for the open steps of a path at this moment. */
export type Place = (string | number)[];

/** More are counted but not named. */
const MAX_WARNINGS = 100;

/** One kind of change at one shape of path, such as `/items/<any>/qty`. */
export class Site {
  count = 0;
  readonly #code: ChangeCode;
  readonly #steps: readonly Step[];
  readonly #message: string;
  readonly #open: number;
  /** Where it happened first. */
  readonly #first: (string | number)[] = [];
  #told: SchemaWarning | undefined;
  #toldCount = 0;

  constructor(code: ChangeCode, steps: readonly Step[], message: string) {
    this.#code = code;
    this.#steps = steps;
    this.#message = message;
    this.#open = steps.filter((step) => step === undefined).length;
  }

  begin(place: Place): void {
    for (let at = 0; at < this.#open; at++) {
      if (this.#first[at] === place[at]) continue;
      this.#first[at] = place[at] as string | number;
      this.#told = undefined;
    }
  }

  /** The warning, made once for as long as the same is to be said. Starts again from zero. */
  end(): SchemaWarning {
    const { count } = this;
    this.count = 0;
    if (this.#told === undefined || this.#toldCount !== count) {
      this.#told = this.#tell(count);
      this.#toldCount = count;
    }
    return this.#told;
  }

  #tell(count: number): SchemaWarning {
    const times = count === 1 ? "" : ` (${count} times; this is the first place)`;
    const warning = { code: this.#code, message: `${this.#message}${times}`, path: this.#path() };
    return Object.freeze(count === 1 ? warning : { ...warning, count });
  }

  #path(): JsonPointer {
    let open = 0;
    return pointerTo(...this.#steps.map((step) => step ?? this.#first[open++] ?? ""));
  }
}

/** Where fields may be stripped that no one named before. */
export class StripSite {
  readonly #steps: readonly Step[];
  readonly #sites = new Map<string, Site>();
  /** The same fields come in the same order from row to row: the next one is tried first. */
  readonly #keys: string[] = [];
  readonly #inOrder: Site[] = [];
  #next = 0;
  /** There was something to strip last time. */
  isBusy = false;

  constructor(steps: readonly Step[]) {
    this.#steps = steps;
  }

  /** The site of the field, if it is the one that followed last time. */
  next(key: string): Site | undefined {
    const next = this.#next;
    if (this.#keys[next] !== key) return undefined;
    this.#next = next + 1 === this.#keys.length ? 0 : next + 1;
    return this.#inOrder[next];
  }

  of(key: string): Site {
    return this.#sites.get(key) ?? this.#add(key);
  }

  #add(key: string): Site {
    const site = new Site("OUTPUT_STRIPPED", [...this.#steps, key], STRIPPED);
    // A source that makes up names must not fill the memory.
    if (this.#keys.length >= 64) return site;
    this.#sites.set(key, site);
    this.#keys.push(key);
    this.#inOrder.push(site);
    return site;
  }
}

export const STRIPPED = "was removed: the schema does not name it";

/** What one run over a value has changed, in the order in which it happened. */
export class Changes {
  /** Something still does not match. */
  bad = false;
  readonly #sites: Site[] = [];
  #used = 0;
  /** The same source makes the same mistakes: a list that is to be told again is the same object. */
  #told: readonly SchemaWarning[] = Object.freeze([]);

  get isEmpty(): boolean {
    return this.#used === 0;
  }

  add(site: Site, place: Place): void {
    if (site.count++ > 0) return;
    site.begin(place);
    this.#sites[this.#used++] = site;
  }

  /** The warnings, folded. Leaves the object empty, ready for another run. */
  end(): readonly SchemaWarning[] {
    const used = this.#used;
    this.#used = 0;
    this.bad = false;
    if (used > MAX_WARNINGS) return this.#endMany(this.#sites.splice(0, used));
    let told = this.#told;
    let fresh: SchemaWarning[] | undefined = told.length === used ? undefined : [];
    for (let at = 0; at < used; at++) {
      const warning = (this.#sites[at] as Site).end();
      if (fresh === undefined && warning !== told[at]) fresh = told.slice(0, at);
      fresh?.push(warning);
    }
    if (fresh !== undefined) told = this.#told = Object.freeze(fresh);
    return told;
  }

  #endMany(sites: readonly Site[]): readonly SchemaWarning[] {
    const named = sites.slice(0, MAX_WARNINGS).map((site) => site.end());
    return [...named, ...further(sites.slice(MAX_WARNINGS))];
  }
}

function further(sites: readonly Site[]): SchemaWarning[] {
  const counts = new Map<SchemaWarning["code"], number>();
  for (const { code, count = 1 } of sites.map((site) => site.end())) counts.set(code, (counts.get(code) ?? 0) + count);
  return [...counts].map(([code, count]) => ({ code, message: `The same was done in further places (${count} times).`, count }));
}
