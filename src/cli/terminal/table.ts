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
 * Rows in columns, a line each and none longer than `width`. Where there is not enough room, the widest of the columns
 * that may shrink give it; where even that is too little, the last columns are left out.
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
  for (let excess = totalOf(widths) - width; excess > 0; excess--) {
    const at = widestOf(widths, columns);
    if (at === undefined) break;
    widths[at] = (widths[at] ?? 0) - 1;
  }
  while (widths.length > 1 && totalOf(widths) > width) widths.pop();
  if (totalOf(widths) > width) widths[0] = width;
  return widths;
}

/** Of those that may still shrink. */
function widestOf(widths: readonly number[], columns: readonly Column[]): number | undefined {
  const roomAt = (at: number): number => {
    const { least = Number.POSITIVE_INFINITY } = columns[at] ?? {};
    return (widths[at] ?? 0) > least ? (widths[at] ?? 0) : 0;
  };
  const at = widths.map((_, index) => index).reduce((best, one) => (roomAt(one) >= roomAt(best) ? one : best), 0);
  return roomAt(at) > 0 ? at : undefined;
}

function totalOf(widths: readonly number[]): number {
  return widths.reduce((sum, one) => sum + one, 0) + GAP.length * (widths.length - 1);
}

/** The blanks that fill a column stay unpainted. */
function painted(column: Column | undefined, cell: string): string {
  const text = cell.trimEnd();
  return column?.paint === undefined || text === "" ? cell : column.paint(text) + cell.slice(text.length);
}
