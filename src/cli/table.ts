import { fitText, padText, textWidth } from "./text-width.js";

export interface Column {
  /** So many columns of the terminal at most. */
  readonly most?: number;
  /** Where the terminal is narrow, it is cut down to this; others are never cut. */
  readonly least?: number;
  readonly paint?: (text: string) => string;
}

const GAP = "  ";

/**
 * Rows in columns, a line each and none longer than `width`. Where there is not enough room, the columns that may shrink
 * give it, the last first; where even that is too little, the last are left out.
 */
export function table(rows: readonly (readonly string[])[], columns: readonly Column[], width: number): string[] {
  const widths = fittedWidths(rows, columns, width);
  return rows.map((row) => {
    const cells = widths.map((room, at) => fitText(row[at] ?? "", room));
    const last = cells.findLastIndex((cell) => cell !== "");
    return cells
      .slice(0, last + 1)
      .map((cell, at) => painted(columns[at], at === last ? cell : padText(cell, widths[at] ?? 0)))
      .join(GAP);
  });
}

function fittedWidths(rows: readonly (readonly string[])[], columns: readonly Column[], width: number): number[] {
  const widths = columns.map(({ most = Number.POSITIVE_INFINITY }, at) =>
    Math.min(most, Math.max(0, ...rows.map((row) => textWidth(row[at] ?? "")))),
  );
  for (const [at, { least }] of [...columns.entries()].reverse()) {
    const excess = totalOf(widths) - width;
    const now = widths[at] ?? 0;
    if (excess > 0 && least !== undefined) widths[at] = Math.min(now, Math.max(least, now - excess));
  }
  while (widths.length > 1 && totalOf(widths) > width) widths.pop();
  if (totalOf(widths) > width) widths[0] = width;
  return widths;
}

function totalOf(widths: readonly number[]): number {
  return widths.reduce((sum, one) => sum + one, 0) + GAP.length * (widths.length - 1);
}

/** The blanks that fill a column stay unpainted. */
function painted(column: Column | undefined, cell: string): string {
  const text = cell.trimEnd();
  return column?.paint === undefined || text === "" ? cell : column.paint(text) + cell.slice(text.length);
}
