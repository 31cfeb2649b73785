import { orElse } from "../json/attempt.js";

/** Those who want to hear of a change. What one of them does is no concern of the others, nor of whoever tells them. */
export class Listeners {
  readonly #members = new Set<{ readonly listener: () => void }>();

  /** Returns what ends it. */
  add(listener: () => void): () => void {
    const member = { listener };
    this.#members.add(member);
    return () => this.#members.delete(member);
  }

  tell(): void {
    for (const member of [...this.#members]) if (this.#members.has(member)) orElse(member.listener, undefined);
  }

  clear(): void {
    this.#members.clear();
  }
}
