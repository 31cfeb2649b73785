import type { Place, SchemaWarning, Site } from "./site.js";
import { Strips } from "./strip-site.js";

/** More are counted but not named. */
const MAX_WARNINGS = 100;

/** What one run over a value has changed, in the order in which it happened. */
export class Changes {
  /** Something still does not match. */
  isBad = false;
  /** Several sites may be about one shape of path: of the walk and of code, of alternatives, of names not kept. */
  mayRepeat = false;
  readonly strips: Strips = new Strips(this);
  /** Those of this run, and behind them what is left of the last one: the same ones are likely to come again. */
  readonly sites: Site[] = [];
  used = 0;
  /** The same source makes the same mistakes: a list that is to be told again is the same object. */
  #told: readonly SchemaWarning[] | undefined;

  get isEmpty(): boolean {
    return this.used === 0;
  }

  add(site: Site, place: Place): void {
    this.mayRepeat = true;
    if (site.count++ === 0) this.begin(site, place);
  }

  /** Takes up a site whose count has just become one. */
  begin(site: Site, place: Place): void {
    site.begin(place);
    this.#push(site);
  }

  #push(site: Site): void {
    const at = this.used++;
    if (this.sites[at] === site) return;
    this.sites[at] = site;
    this.#told = undefined;
  }

  /** Leaves one site for each shape of path, the first. */
  fold(): void {
    if (this.used < 2) return;
    const byShape = new Map<string, Site>();
    for (const site of this.sites.slice(0, this.used)) {
      const first = byShape.get(site.shape);
      if (first === undefined) byShape.set(site.shape, site);
      else {
        first.count += site.count;
        site.count = 0;
      }
    }
    this.used = 0;
    for (const site of byShape.values()) this.#push(site);
  }

  /** The warnings. Leaves the object empty, ready for another run. */
  end(): readonly SchemaWarning[] {
    const { used, sites } = this;
    this.used = 0;
    this.isBad = false;
    this.mayRepeat = false;
    if (used > MAX_WARNINGS) return endMany(sites.splice(0, used));
    let told = this.#told?.length === used ? this.#told : undefined;
    for (let at = 0; at < used; at++) if (!(sites[at] as Site).repeat()) told = undefined;
    if (told === undefined) told = this.#told = Object.freeze(sites.slice(0, used).map((site) => site.end()));
    return told;
  }
}

function endMany(sites: readonly Site[]): readonly SchemaWarning[] {
  const named = sites.slice(0, MAX_WARNINGS).map((site) => site.end());
  return [...named, ...further(sites.slice(MAX_WARNINGS))];
}

function further(sites: readonly Site[]): SchemaWarning[] {
  const counts = new Map<SchemaWarning["code"], number>();
  for (const { code, count = 1 } of sites.map((site) => site.end())) counts.set(code, (counts.get(code) ?? 0) + count);
  return [...counts].map(([code, count]) => ({
    code,
    message: `The same was done in further places (${count} times).`,
    count,
  }));
}
