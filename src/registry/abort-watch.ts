/**
 * Tells the members of a signal that it was aborted. Many calls often share one signal: it gets one listener, which
 * goes with the last of them.
 */
export class AbortWatch<T> {
  readonly #onAbort: (member: T, signal: AbortSignal) => void;
  readonly #watched = new Map<AbortSignal, Watched<T>>();

  constructor(onAbort: (member: T, signal: AbortSignal) => void) {
    this.#onAbort = onAbort;
  }

  add(signal: AbortSignal, member: T): void {
    const known = this.#watched.get(signal);
    if (known !== undefined) known.members.add(member);
    else this.#listen(signal, new Set([member]));
  }

  delete(signal: AbortSignal, member: T): void {
    const watched = this.#watched.get(signal);
    if (watched === undefined) return;
    watched.members.delete(member);
    if (watched.members.size > 0) return;
    this.#watched.delete(signal);
    signal.removeEventListener("abort", watched.listener);
  }

  #listen(signal: AbortSignal, members: Set<T>): void {
    const listener = () => {
      for (const member of members) this.#onAbort(member, signal);
    };
    this.#watched.set(signal, { members, listener });
    signal.addEventListener("abort", listener);
  }
}

interface Watched<T> {
  readonly members: Set<T>;
  readonly listener: () => void;
}
