import { orElse } from "../json/attempt.js";
import { told } from "../json/told.js";
import { typeNames } from "./issue-messages.js";
import { type Node, typeOf } from "./node.js";

/** What an absent field is filled with. */
export interface Filling {
  readonly value: unknown;
  /** A value of its own each time, so that no one changes the schema through it. */
  copy(): unknown;
}

/** The default that a node declares, also through what it refers to. */
export function defaultOf(node: Node): { readonly value: unknown } | undefined {
  const declared = node.default ?? node.all?.map((inner) => inner.default).find((found) => found !== undefined);
  return declared?.value === undefined ? undefined : declared;
}

export function fillingOf(value: unknown): Filling | undefined {
  if (typeof value !== "object" || value === null) return { value, copy: () => value };
  const text = orElse(() => JSON.stringify(value), undefined);
  return text === undefined ? undefined : { value, copy: () => JSON.parse(text) };
}

export function fillMessage(value: unknown): string {
  return `was absent and is filled with its default, ${told(value)}`;
}

export function convertMessage({ types, values }: Node): string {
  return `was converted to ${typeNames(types ?? (values ?? []).reduce<number>((bits, value) => bits | typeOf(value), 0))}`;
}
