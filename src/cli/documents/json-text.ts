import { type JsonPointer, pointerTo } from "../../json/pointer.js";

export interface JsonFault {
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

/** A number that JavaScript cannot hold as it is written. */
export interface InexactNumber {
  readonly path: JsonPointer;
  readonly written: string;
  /** What JSON then says: `null` beyond all numbers. */
  readonly held: number | null;
}

/** Where a text stops being JSON. Node's own parser does not always say. */
export function findJsonFault(text: string): JsonFault | undefined {
  const scanner = new Scanner(text);
  const message = scanner.scan();
  if (message === undefined) return undefined;
  // An end that comes too early is found after the last character, not on the empty line below it.
  const at = Math.min(scanner.at, text.trimEnd().length);
  const before = text.slice(0, at);
  return { message, line: before.split("\n").length, column: at - before.lastIndexOf("\n") };
}

/** More of them would not help anyone. */
const MOST_INEXACT = 100;

/** The first integers of a valid JSON text that change when they are parsed. */
export function findInexactNumbers(text: string): InexactNumber[] {
  if (!/\d{16}/.test(text) && !/\d[eE]\+?\d{3}/.test(text)) return [];
  const scanner = new Scanner(text);
  scanner.scan();
  return scanner.inexact;
}

interface Frame {
  readonly close: "]" | "}";
  key: string | number;
  /** Whether nothing was read of it yet. */
  fresh: boolean;
}

const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;
const SPACE = /[ \t\r\n]*/y;
const NUMBER = /-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;

/** Walks a JSON text without building values. A loop, not recursion: no nesting is too deep. */
class Scanner {
  at = 0;
  readonly inexact: InexactNumber[] = [];
  private readonly text: string;
  private readonly stack: Frame[] = [];

  constructor(text: string) {
    this.text = text;
  }

  /** What is wrong at `at`, or `undefined`. */
  scan(): string | undefined {
    let fault = this.value();
    while (fault === undefined && this.stack.length > 0) fault = this.next();
    if (fault !== undefined) return fault;
    this.take(SPACE);
    return this.at < this.text.length ? `unexpected ${this.here()} after the end of the value` : undefined;
  }

  private value(): string | undefined {
    this.take(SPACE);
    const char = this.text[this.at];
    if (char === "[") return this.open("]");
    if (char === "{") return this.open("}");
    if (char === '"') return this.string() === undefined ? this.stringFault() : undefined;
    if (this.take(WORD) !== undefined) return undefined;
    const number = this.take(NUMBER);
    if (number === undefined) return `unexpected ${this.here()} where a value should be`;
    this.weigh(number);
    return undefined;
  }

  private open(close: "]" | "}"): undefined {
    this.at += 1;
    this.stack.push({ close, key: close === "]" ? 0 : "", fresh: true });
  }

  /** What follows in the innermost list or object: its end, or a value after a comma, the first one without. */
  private next(): string | undefined {
    const frame = this.stack.at(-1) as Frame;
    this.take(SPACE);
    const char = this.text[this.at];
    if (char === frame.close) return this.leave();
    if (frame.fresh) frame.fresh = false;
    else if (char !== ",") return `unexpected ${this.here()} where "," or "${frame.close}" should be`;
    else {
      this.at += 1;
      if (typeof frame.key === "number") frame.key += 1;
    }
    return typeof frame.key === "string" ? this.member() : this.value();
  }

  private member(): string | undefined {
    this.take(SPACE);
    if (this.text[this.at] !== '"') return `unexpected ${this.here()} where a name in double quotes should be`;
    const name = this.string();
    if (name === undefined) return this.stringFault();
    (this.stack.at(-1) as Frame).key = JSON.parse(name) as string;
    this.take(SPACE);
    if (this.text[this.at] !== ":") return `unexpected ${this.here()} where ":" should be`;
    this.at += 1;
    return this.value();
  }

  private leave(): undefined {
    this.at += 1;
    this.stack.pop();
  }

  private take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.text);
    if (match === null) return undefined;
    this.at = pattern.lastIndex;
    return match[0];
  }

  /** A string from its quote on, or `undefined` where it is none. A loop: an expression would need stack for each escape. */
  private string(): string | undefined {
    const start = this.at;
    for (let at = start + 1; at < this.text.length; at++) {
      const code = this.text.charCodeAt(at);
      if (code === 0x22) {
        this.at = at + 1;
        return this.text.slice(start, this.at);
      }
      if (code < 0x20) return undefined;
      if (code !== 0x5c) continue;
      ESCAPE.lastIndex = at;
      if (!ESCAPE.test(this.text)) return undefined;
      at = ESCAPE.lastIndex - 1;
    }
    return undefined;
  }

  private weigh(written: string): void {
    const held = Number(written);
    const whole = /^-?\d+$/.test(written);
    const exact = whole
      ? BigInt(written) === (Number.isFinite(held) ? BigInt(held) : undefined)
      : Number.isFinite(held);
    if (!exact && this.inexact.length < MOST_INEXACT)
      this.inexact.push({ path: this.path(), written, held: Number.isFinite(held) ? held : null });
  }

  private path(): JsonPointer {
    let path = "";
    for (const { key } of this.stack) path += pointerTo(key);
    return path;
  }

  private stringFault(): string {
    const line = this.text.indexOf("\n", this.at);
    const close = this.text.indexOf('"', this.at + 1);
    const unclosed = close < 0 || (line >= 0 && line < close);
    return unclosed
      ? "a string that begins here has no end on its line"
      : "a string that begins here has a wrong escape or control character";
  }

  private here(): string {
    const char = this.text.codePointAt(this.at);
    return char === undefined ? "end of input" : JSON.stringify(String.fromCodePoint(char));
  }
}
