/** What a person sees of what was written to a terminal, line by line, without spaces at their ends. */
export function screenOf(output: string, columns: number): string[] {
  const screen = new Screen(columns);
  for (const [part] of output.matchAll(PARTS)) screen.take(part);
  return screen.lines();
}

/** Control sequences of which some move or erase, other commands to a terminal, single control characters, and characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what terminals are controlled by
const PARTS = /\x1b\[[\d;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b.|[\s\S]/gu;

class Screen {
  readonly #columns: number;
  readonly #cells: string[][] = [[]];
  #row = 0;
  #column = 0;

  constructor(columns: number) {
    this.#columns = columns;
  }

  take(part: string): void {
    if (part === "\n") this.#moveTo(this.#row + 1, this.#column);
    else if (part === "\r") this.#column = 0;
    else if (part === "\b") this.#column = Math.max(0, this.#column - 1);
    else if (part.startsWith("\x1b[")) this.#control(part.at(-1) ?? "", Number.parseInt(part.slice(2), 10));
    else if (part >= " ") this.#put(part);
  }

  lines(): string[] {
    return this.#cells.map((cells) =>
      Array.from(cells, (cell) => cell ?? " ")
        .join("")
        .trimEnd(),
    );
  }

  #put(character: string): void {
    if (this.#column >= this.#columns) this.#moveTo(this.#row + 1, 0);
    this.#line()[this.#column] = character;
    this.#column += 1;
  }

  #control(letter: string, given: number): void {
    const count = Number.isNaN(given) ? 1 : given;
    if (letter === "A") this.#moveTo(Math.max(0, this.#row - count), this.#column);
    else if (letter === "B") this.#moveTo(this.#row + count, this.#column);
    else if (letter === "C") this.#column += count;
    else if (letter === "D") this.#column = Math.max(0, this.#column - count);
    else if (letter === "G") this.#column = count - 1;
    else if (letter === "K") this.#eraseInLine(Number.isNaN(given) ? 0 : given);
    else if (letter === "J") this.#eraseBelow();
  }

  /** To the end of the line, to its begin, or all of it. */
  #eraseInLine(how: number): void {
    if (how === 0) this.#line().length = Math.min(this.#line().length, this.#column);
    else if (how === 2) this.#line().length = 0;
    else this.#line().fill(" ", 0, this.#column + 1);
  }

  #eraseBelow(): void {
    this.#eraseInLine(0);
    this.#cells.length = this.#row + 1;
  }

  #moveTo(row: number, column: number): void {
    while (this.#cells.length <= row) this.#cells.push([]);
    this.#row = row;
    this.#column = column;
  }

  #line(): string[] {
    return this.#cells[this.#row] ?? [];
  }
}
