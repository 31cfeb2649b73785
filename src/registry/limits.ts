import { CallError } from "../envelope/call-error.js";
import { type Excess, excessOf, type SizeLimits } from "../schema/size.js";

/** How large an input may be. */
export interface InputLimits {
  /**
   * Levels of nesting.
   * @default 100
   */
  readonly depth?: number;
  /**
   * About as many characters as its JSON has.
   * @default 10,000,000
   */
  readonly size?: number;
}

export function limitsOf({ depth = 100, size = 10_000_000 }: InputLimits = {}): SizeLimits {
  return { depth, size };
}

export function tooLarge(id: string, excess: Excess, { depth, size }: SizeLimits): CallError {
  const what = excess === "depth" ? `nested more than ${depth} deep` : `larger than ${size} characters`;
  return new CallError({
    category: "validation",
    code: "PAYLOAD_TOO_LARGE",
    message: `The input of ${id} is ${what}.`,
    recoverable: false,
  });
}

/** For an input of which no schema says what it looks like. */
export function checkSize(id: string, input: unknown, limits: SizeLimits): void {
  const excess = excessOf(input, limits);
  if (excess !== undefined) throw tooLarge(id, excess, limits);
}
