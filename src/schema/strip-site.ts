import type { JsonRecord } from "../json/value.js";
import type { Changes } from "./changes.js";
import { type Place, Site, STRIPPED, type Step } from "./site.js";

/** A field that is stripped though no one named it, and how often that was found out by a search. */
interface Extra {
  readonly name: string;
  readonly site: Site;
  seen: number;
  isUsual: boolean;
}

/** A field is usual that was found so often, and in so great a part of the searches. */
const USUAL = { seen: 16, part: 1 / 16 };
/** More cost more to expect than to search for. */
const MAX_USUAL = 16;
/** A source that makes up names must not fill the memory. */
const MAX_EXTRAS = 64;

/** An object from which fields may be stripped. */
export class StripSite {
  readonly #changes: Changes;
  readonly #steps: readonly Step[];
  readonly #names: readonly string[];
  readonly #indexes: ReadonlyMap<string, number>;
  readonly #extras = new Map<string, Extra>();
  #searches = 0;

  constructor(changes: Changes, steps: readonly Step[], names: readonly string[]) {
    this.#changes = changes;
    this.#steps = steps;
    this.#names = names;
    this.#indexes = new Map(names.map((name, at) => [name, at]));
  }

  /** Those that come again and again. Names in data may be anything; only plain ones are written into code. */
  usual(): readonly Extra[] {
    const least = Math.max(USUAL.seen, this.#searches * USUAL.part);
    for (const extra of this.#extras.values()) extra.isUsual ||= extra.seen >= least && /^\w{1,64}$/.test(extra.name);
    return [...this.#extras.values()].filter(({ isUsual }) => isUsual).slice(0, MAX_USUAL);
  }

  /** Reports each field that has no name here, in the order of the object; tells whether there were any. */
  search(value: JsonRecord, place: Place): boolean {
    let found = false;
    let next = 0;
    for (const key of Object.keys(value)) {
      // Most objects have their fields in the order of the schema.
      if (key === this.#names[next]) next++;
      else {
        const at = this.#indexes.get(key);
        if (at !== undefined) next = at + 1;
        else if (value[key] !== undefined) {
          found = true;
          this.#report(key, place);
        }
      }
    }
    if (!found) return false;
    this.#searches++;
    this.#changes.strips.searches++;
    return true;
  }

  #report(key: string, place: Place): void {
    const extra = this.#extras.get(key) ?? this.#add(key);
    extra.seen++;
    if (extra.site.count++ === 0) this.#changes.begin(extra.site, place);
  }

  #add(name: string): Extra {
    const extra = {
      name,
      site: new Site("OUTPUT_STRIPPED", [...this.#steps, name], STRIPPED),
      seen: 0,
      isUsual: false,
    };
    if (this.#extras.size < MAX_EXTRAS) this.#extras.set(name, extra);
    else this.#changes.mayRepeat = true;
    return extra;
  }
}

/** Searches for each place in the schema that pay for writing the code again. */
const SEARCHES_FOR_CODE = 100;

/** The objects from which fields were stripped, in all runs: the next code can expect the same fields. */
export class Strips {
  /** How many objects had fields that were not expected. */
  searches = 0;
  readonly #changes: Changes;
  readonly #sites = new Map<string, StripSite>();
  #limit = 0;
  #expected = 0;

  constructor(changes: Changes) {
    this.#changes = changes;
  }

  at(steps: readonly Step[], names: readonly string[]): StripSite {
    const key = JSON.stringify([steps, names]);
    let site = this.#sites.get(key);
    if (site === undefined) {
      site = new StripSite(this.#changes, steps, names);
      this.#sites.set(key, site);
      this.#limit += SEARCHES_FOR_CODE;
    }
    return site;
  }

  /** Whether code that is written now would expect more than it did. Asked for ever more seldom: writing is slow. */
  haveLearnt(): boolean {
    if (this.searches < this.#limit) return false;
    this.#limit = this.searches * 8;
    const before = this.#expected;
    this.#expected = [...this.#sites.values()].reduce((sum, site) => sum + site.usual().length, 0);
    return this.#expected > before;
  }
}
