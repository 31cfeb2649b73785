/** Makes the ids of one caller's requests: a random part of their own, then a number. */
export class RequestIds {
  /** In every id, and in no id of another caller. */
  readonly prefix: string = randomName();
  #made = 0;

  next(): string {
    this.#made += 1;
    return `${this.prefix}-${this.#made}`;
  }

  isOwn(requestId: string): boolean {
    return requestId.startsWith(this.prefix);
  }
}

/** 96 random bits. */
function randomName(): string {
  const words = crypto.getRandomValues(new Uint32Array(3));
  return Array.from(words, (word) => word.toString(36).padStart(7, "0")).join("");
}
