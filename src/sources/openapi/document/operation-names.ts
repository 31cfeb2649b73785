import type { Warning } from "../../../envelope/warning.js";
import { told } from "../../../json/told.js";
import { portableName, RESERVED, uniqueName } from "../../../registry/portable-name.js";

/** What the name of an operation is made of. */
export interface Nameable {
  readonly method: string;
  readonly path: string;
  readonly operationId: string | undefined;
}

export interface OperationNames {
  /** In the order of the operations. */
  readonly names: readonly string[];
  readonly warnings: readonly Warning[];
}

const MOST_LETTERS = 64;

/** A name for each operation, all different, and the same whatever the order of the document is. */
export function nameOperations(operations: readonly Nameable[]): OperationNames {
  const names = operations.map(wantedName);
  const owners = new Map<string, number>();
  const others: number[] = [];
  names.forEach((name, at) => {
    const owner = owners.get(name);
    const isFirst = owner === undefined || isBefore(operations[at], operations[owner], name);
    if (isFirst) owners.set(name, at);
    const loser = isFirst ? owner : at;
    if (loser !== undefined) others.push(loser);
  });
  for (const name of RESERVED) {
    const owner = owners.get(name);
    if (owner !== undefined) others.push(owner);
  }
  const warnings = duplicates(others.map((at) => operations[at] as Nameable));
  for (const at of others.sort((a, b) => a - b)) {
    const name = uniqueName(withHash(names[at] as string, operations[at] as Nameable), owners, MOST_LETTERS);
    names[at] = name;
    owners.set(name, at);
  }
  return { names, warnings };
}

function wantedName({ method, path, operationId }: Nameable): string {
  const name = operationId ?? nameFromPath(method, path);
  // What `portableName` does to nearly all names, in a fraction of the time.
  const clean = name.replaceAll(/[^A-Za-z0-9_-]+/g, "_");
  return PORTABLE.test(clean) ? clean : portableName(name, { maxLength: MOST_LETTERS });
}

const PORTABLE = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** `get_pets_petId` */
function nameFromPath(method: string, path: string): string {
  const words = path.split(/[^A-Za-z0-9_-]+/).filter((word) => word !== "");
  return [method.toLowerCase(), ...words].join("_");
}

/** Whether an operation has more right to a name: the one that is called so, then one that has a name at all. */
function isBefore(a: Nameable | undefined, b: Nameable | undefined, name: string): boolean {
  if (a === undefined || b === undefined) return false;
  const order = rank(a, name) - rank(b, name);
  return order === 0 ? keyOf(a) < keyOf(b) : order < 0;
}

function rank({ operationId }: Nameable, name: string): number {
  if (operationId === name) return 0;
  return operationId === undefined ? 2 : 1;
}

function keyOf({ method, path }: Nameable): string {
  return `${method} ${path}`;
}

function withHash(name: string, operation: Nameable): string {
  // So short that nothing is left of it but the underscore and the hash.
  const hash = portableName(keyOf(operation), { maxLength: 9, isExact: true });
  return name.slice(0, MOST_LETTERS - hash.length) + hash;
}

/** Equal ids want equal names, so that all but one of them are among those that did not get theirs. */
function duplicates(others: readonly Nameable[]): Warning[] {
  return others.flatMap(({ operationId, method, path }) =>
    operationId === undefined ? [] : [{ code: "NONCONFORMING", message: sameId(operationId, `${method} ${path}`) }],
  );
}

function sameId(operationId: string, operation: string): string {
  return `Another operation than ${operation} has the operationId ${told(operationId)}, or one that makes the same name; this one's name ends in a hash.`;
}
