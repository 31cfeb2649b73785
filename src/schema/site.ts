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

/** One kind of change at one shape of path, such as `/items/<any>/qty`. */
export class Site {
  count = 0;
  readonly #code: ChangeCode;
  readonly #steps: readonly Step[];
  readonly #message: string | (() => string);
  readonly #open: number;
  /** Where it happened first. */
  readonly #first: (string | number)[] = [];
  #path: JsonPointer | undefined;
  #told: SchemaWarning | undefined;
  #toldCount = 0;

  /** The message may be made later: most sites of generated code never have anything to tell. */
  constructor(code: ChangeCode, steps: readonly Step[], message: string | (() => string)) {
    this.#code = code;
    this.#steps = steps;
    this.#message = message;
    this.#open = steps.filter((step) => step === undefined).length;
  }

  /** Whether the path has open steps, so that the place matters. */
  get isOpen(): boolean {
    return this.#open > 0;
  }

  get shape(): string {
    return `${this.#code} ${JSON.stringify(this.#steps)}`;
  }

  begin(place: Place): void {
    for (let at = 0; at < this.#open; at++) {
      if (this.#first[at] === place[at]) continue;
      this.#first[at] = place[at] as string | number;
      this.#path = undefined;
      this.#told = undefined;
      this.#toldCount = 0;
    }
  }

  /** Starts again from zero, if the last warning still says it. */
  repeat(): boolean {
    if (this.count !== this.#toldCount) return this.count === 0;
    this.count = 0;
    return true;
  }

  /** The warning, made once for as long as the same is to be said. Starts again from zero. */
  end(): SchemaWarning {
    if (this.#told === undefined || !this.repeat()) {
      this.#told = this.#tell(this.count);
      this.#toldCount = this.count;
      this.count = 0;
    }
    return this.#told;
  }

  #tell(count: number): SchemaWarning {
    this.#path ??= this.#firstPath();
    const said = typeof this.#message === "string" ? this.#message : this.#message();
    if (count === 1) return Object.freeze({ code: this.#code, message: said, path: this.#path });
    const message = `${said} (${count} times; this is the first place)`;
    return Object.freeze({ code: this.#code, message, path: this.#path, count });
  }

  #firstPath(): JsonPointer {
    let open = 0;
    return pointerTo(...this.#steps.map((step) => step ?? this.#first[open++] ?? ""));
  }
}

export const STRIPPED = "was removed: the schema does not name it";
