/** Where events for one address go, and those of this turn that wait to go there together. */
export interface Route {
  readonly address: string;
  readonly subject: string;
  /** Texts of events, with commas between them. */
  text: string;
  count: number;
}

/** Makes one message of the events that go to one address in one turn. */
export class Outbox {
  readonly #routes = new Map<string, Route>();
  #waiting: Route[] = [];
  readonly #subjectOf: (address: string) => string;
  readonly #send: (route: Route, text: string) => void;
  readonly #mostCharacters: () => number;

  constructor(
    subjectOf: (address: string) => string,
    send: (route: Route, text: string) => void,
    mostCharacters: () => number,
  ) {
    this.#subjectOf = subjectOf;
    this.#send = send;
    this.#mostCharacters = mostCharacters;
  }

  /** Throws where the address is none. */
  route(address: string): Route {
    const known = this.#routes.get(address);
    if (known !== undefined) return known;
    const route: Route = { address, subject: this.#subjectOf(address), text: "", count: 0 };
    // Those with waiting events stay alive in the other list.
    if (this.#routes.size >= MOST_ROUTES) this.flush();
    if (this.#routes.size >= MOST_ROUTES) this.#routes.clear();
    this.#routes.set(address, route);
    return route;
  }

  add(route: Route, text: string): void {
    if (route.count > 0 && !this.#fits(route.text.length + text.length)) this.flushRoute(route);
    if (route.count === 0) {
      if (this.#waiting.length === 0) RESOLVED.then(this.flush);
      this.#waiting.push(route);
      route.text = text;
    } else {
      route.text += `,${text}`;
    }
    route.count += 1;
  }

  /** What waits for this address goes now, before something that does not wait. */
  flushRoute(route: Route): void {
    const { count, text } = route;
    if (count === 0) return;
    route.count = 0;
    route.text = "";
    this.#send(route, count === 1 ? text : `[${text}]`);
  }

  #fits(characters: number): boolean {
    return characters < MOST_CHARACTERS && characters < this.#mostCharacters();
  }

  readonly flush = (): void => {
    const routes = this.#waiting;
    this.#waiting = [];
    for (const route of routes) this.flushRoute(route);
  };
}

const RESOLVED: Promise<void> = Promise.resolve();

/** So that a list does not delay others. */
const MOST_CHARACTERS = 64 * 1024;

/** Addresses of callers come and go. */
const MOST_ROUTES = 10_000;
