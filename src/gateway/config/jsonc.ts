import { type JsonPointer, pointerTo } from "../../json/pointer.js";
import { type JsonRecord, setField } from "../../json/value.js";

/** A place in a text, both counted from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** Why a text is no JSON with comments, and where. */
export class JsoncFault extends Error {
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

/** Where things begin in a text. */
export interface JsoncPlaces {
  /** Of a value, by its pointer. */
  readonly values: ReadonlyMap<JsonPointer, number>;
  /** Of the name that a value has in its object. */
  readonly keys: ReadonlyMap<JsonPointer, number>;
}

/** JSON that may have comments and commas at the end. Throws a `JsoncFault`. */
export function parseJsonc(text: string): unknown {
  return new Parser(text, undefined).document();
}

/** Where everything is in a text that can be parsed. It is asked for only where something is to be told of it. */
export function jsoncPlaces(text: string): JsoncPlaces {
  const places = { values: new Map<JsonPointer, number>(), keys: new Map<JsonPointer, number>() };
  new Parser(text, places).document();
  return places;
}

export function placeOf(text: string, at: number): Place {
  const before = text.slice(0, at);
  const start = before.lastIndexOf("\n") + 1;
  return {
    line: before.split("\n").length,
    column: [...before.slice(start)].filter((char) => char !== BOM).length + 1,
  };
}

const BOM = "\uFEFF";

/** A configuration is flat; what is deeper than this is none, and could exhaust the stack. */
const MOST_DEPTH = 200;

const SPACE = /[ \t\r\n]*/y;
const LINE_COMMENT = /\/\/[^\r\n]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])/y;
const WORD = /[A-Za-z_$][\w$]*/y;
const PLAIN = /[^"\\\p{Cc}]*/uy;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

const WORDS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["true", true],
  ["false", false],
  ["null", null],
]);

interface Places {
  readonly values: Map<JsonPointer, number>;
  readonly keys: Map<JsonPointer, number>;
}

class Parser {
  readonly #text: string;
  readonly #places: Places | undefined;
  #at: number;
  /** Where what was read last ends: a comma that is missing is missing there. */
  #end = 0;
  #depth = 0;

  constructor(text: string, places: Places | undefined) {
    this.#text = text;
    this.#places = places;
    this.#at = text.startsWith(BOM) ? 1 : 0;
  }

  document(): unknown {
    this.#skip();
    if (this.#at >= this.#text.length) throw new JsoncFault("there is nothing in it", 0);
    const value = this.#value("");
    this.#skip();
    if (this.#at < this.#text.length) this.#fail(`unexpected ${this.#here()} after the end`);
    return value;
  }

  #value(pointer: JsonPointer): unknown {
    this.#places?.values.set(pointer, this.#at);
    const char = this.#text[this.#at];
    const value =
      char === "{"
        ? this.#object(pointer)
        : char === "["
          ? this.#list(pointer)
          : char === '"'
            ? this.#string()
            : this.#scalar();
    this.#end = this.#at;
    return value;
  }

  #object(pointer: JsonPointer): JsonRecord {
    const record: JsonRecord = {};
    this.#members("}", () => {
      const start = this.#at;
      const key = this.#key();
      if (Object.hasOwn(record, key)) this.#fail(`${JSON.stringify(key)} is there twice`, start);
      const place = this.#places === undefined ? "" : pointer + pointerTo(key);
      this.#places?.keys.set(place, start);
      setField(record, key, this.#value(place));
    });
    return record;
  }

  #list(pointer: JsonPointer): unknown[] {
    const items: unknown[] = [];
    this.#members("]", () => {
      items.push(this.#value(this.#places === undefined ? "" : pointer + pointerTo(items.length)));
    });
    return items;
  }

  /** What stands between brackets, up to and with the closing one. */
  #members(close: "]" | "}", read: () => void): void {
    const start = this.#at;
    if (++this.#depth > MOST_DEPTH) this.#fail(`it is nested more than ${MOST_DEPTH} deep`);
    this.#at += 1;
    this.#skip();
    while (this.#text[this.#at] !== close) {
      if (this.#at >= this.#text.length)
        this.#fail(`the ${this.#text[start]} that is opened here is not closed`, start);
      read();
      this.#skip();
      if (this.#text[this.#at] === ",") {
        this.#at += 1;
        this.#skip();
      } else if (this.#text[this.#at] !== close && this.#at < this.#text.length) this.#failAfterMember(close);
    }
    this.#at += 1;
    this.#depth -= 1;
  }

  #failAfterMember(close: string): never {
    if (/["{[\w-]/.test(this.#text[this.#at] ?? "")) this.#fail('a "," is missing here', this.#end);
    this.#fail(`unexpected ${this.#here()} where "," or "${close}" should be`);
  }

  #key(): string {
    if (this.#text[this.#at] !== '"') {
      const word = this.#take(WORD);
      if (word !== undefined) this.#fail(`${word} must be in double quotes`, this.#at - word.length);
      this.#fail(`unexpected ${this.#here()} where a name in double quotes should be${this.#quoteHint()}`);
    }
    const key = this.#string();
    this.#skip();
    if (this.#text[this.#at] !== ":") this.#fail(`unexpected ${this.#here()} where ":" should be`);
    this.#at += 1;
    this.#skip();
    return key;
  }

  #string(): string {
    const start = this.#at;
    this.#at += 1;
    let isPlain = true;
    for (;;) {
      this.#take(PLAIN);
      const char = this.#text[this.#at];
      if (char === '"') break;
      if (char !== undefined && char > "~") {
        // A control character that JSON allows.
        this.#at += 1;
        continue;
      }
      if (char !== "\\") this.#fail(this.#stringFault(char), char === undefined || char === "\n" ? start : this.#at);
      isPlain = false;
      if (this.#take(ESCAPE) === undefined)
        this.#fail('a backslash must be followed by one of " \\ / b f n r t u; a plain one is written \\\\');
    }
    this.#at += 1;
    const raw = this.#text.slice(start, this.#at);
    return isPlain ? raw.slice(1, -1) : (JSON.parse(raw) as string);
  }

  #stringFault(char: string | undefined): string {
    if (char === undefined || char === "\n" || char === "\r") return "the text that begins here has no closing quote";
    return `the character ${JSON.stringify(char)} must be written as an escape`;
  }

  #scalar(): unknown {
    const start = this.#at;
    const word = this.#take(WORD);
    if (word !== undefined) {
      if (WORDS.has(word)) return WORDS.get(word);
      // What has no quotes may still be a secret, and is not repeated.
      const meant = WORDS.has(word.toLowerCase()) ? `write ${word.toLowerCase()}` : "texts are in double quotes";
      this.#fail(`this is no value; ${meant}`, start);
    }
    const number = this.#take(NUMBER);
    if (number === undefined) this.#fail(`unexpected ${this.#here()} where a value should be${this.#quoteHint()}`);
    return Number(number);
  }

  #quoteHint(): string {
    return this.#text[this.#at] === "'" ? "; texts are in double quotes" : "";
  }

  /** Spaces and comments. */
  #skip(): void {
    for (;;) {
      this.#take(SPACE);
      if (this.#text.startsWith("/*", this.#at)) {
        const end = this.#text.indexOf("*/", this.#at + 2);
        if (end < 0) this.#fail("the comment that begins here has no end");
        this.#at = end + 2;
      } else if (this.#take(LINE_COMMENT) === undefined) return;
    }
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match === null) return undefined;
    this.#at = pattern.lastIndex;
    return match[0];
  }

  #here(): string {
    const char = this.#text.codePointAt(this.#at);
    return char === undefined ? "end of the file" : JSON.stringify(String.fromCodePoint(char));
  }

  #fail(message: string, at: number = this.#at): never {
    throw new JsoncFault(message, at);
  }
}
