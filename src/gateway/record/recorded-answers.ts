import { canonicalJson } from "../../json/canonical.js";
import { isRecord, isString, presentKeys } from "../../json/value.js";
import { REDACTED } from "../redact.js";
import { type Difference, differences } from "./differences.js";
import type { RecordedAnswer } from "./read-recording.js";

/** The recorded input that differs least from the given one. */
export interface NearestInput {
  readonly input: unknown;
  readonly differences: readonly Difference[];
}

interface Answers {
  readonly input: unknown;
  readonly inOrder: RecordedAnswer[];
  given: number;
}

/** What one operation answered, by its input. */
export class RecordedAnswers {
  readonly #byInput = new Map<string, Answers>();

  add(input: unknown, answer: RecordedAnswer): void {
    const key = keyOf(input);
    const known = this.#byInput.get(key);
    if (known === undefined) this.#byInput.set(key, { input, inOrder: [answer], given: 0 });
    else known.inOrder.push(answer);
  }

  /** The next answer to this input; the last one again once all were given. */
  take(input: unknown): RecordedAnswer | undefined {
    const answers = this.#byInput.get(keyOf(input)) ?? this.#withSecrets(input);
    if (answers === undefined) return undefined;
    const answer = answers.inOrder[Math.min(answers.given, answers.inOrder.length - 1)];
    answers.given += 1;
    return answer;
  }

  nearest(input: unknown): NearestInput | undefined {
    let nearest: NearestInput | undefined;
    let most = MOST_DIFFERENCES;
    for (const { input: recorded } of [...this.#byInput.values()].slice(0, MOST_COMPARED)) {
      const found = differences(recorded, input, most);
      if (nearest !== undefined && found.length >= most) continue;
      nearest = { input: recorded, differences: found };
      most = found.length;
    }
    return nearest;
  }

  /** Where a secret was taken out, whatever is given in its place is the same call. */
  #withSecrets(input: unknown): Answers | undefined {
    for (const [key, answers] of this.#byInput)
      if (key.includes(REDACTED) && isSameButSecrets(answers.input, input)) return answers;
    return undefined;
  }
}

const MOST_DIFFERENCES = 100;
const MOST_COMPARED = 1_000;

/** Where all fields may be left out, so may the input. */
function keyOf(input: unknown): string {
  return canonicalJson(input === undefined ? {} : input);
}

function isSameButSecrets(recorded: unknown, given: unknown): boolean {
  if (isString(recorded)) return isString(given) && isSameText(recorded, given);
  if (Array.isArray(recorded))
    return (
      Array.isArray(given) &&
      recorded.length === given.length &&
      recorded.every((item, at) => isSameButSecrets(item, given[at]))
    );
  if (!isRecord(recorded)) return recorded === given;
  return (
    isRecord(given) &&
    presentKeys(recorded).length === presentKeys(given).length &&
    presentKeys(recorded).every((key) => Object.hasOwn(given, key) && isSameButSecrets(recorded[key], given[key]))
  );
}

/** A secret has at least one character. Each part is looked for after the one before it, so that no text makes it slow. */
function isSameText(recorded: string, given: string): boolean {
  const [first = "", ...others] = recorded.split(REDACTED);
  const last = others.pop();
  if (last === undefined) return recorded === given;
  if (!given.startsWith(first)) return false;
  let from = first.length;
  for (const part of others) {
    const at = given.indexOf(part, from + 1);
    if (at < 0) return false;
    from = at + part.length;
  }
  return given.length - last.length > from && given.endsWith(last);
}
