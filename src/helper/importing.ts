const COUNT = Symbol.for("plico.importing");

/** Shared with copies of this file in other bundles. */
const world = globalThis as { [COUNT]?: number };

/** Whether a module is being loaded for its operations: then a helper in it does not run as a script. */
export function isImporting(): boolean {
  return (world[COUNT] ?? 0) > 0;
}

export async function whileImporting<T>(load: () => Promise<T>): Promise<T> {
  world[COUNT] = (world[COUNT] ?? 0) + 1;
  try {
    return await load();
  } finally {
    world[COUNT] = (world[COUNT] ?? 1) - 1;
  }
}
