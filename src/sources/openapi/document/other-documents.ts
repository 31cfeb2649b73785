import { open } from "node:fs/promises";
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Warning } from "../../../envelope/warning.js";
import { messageOf, orElse } from "../../../json/attempt.js";
import { isRecord, isString } from "../../../json/value.js";
import { decodeText } from "../decode-text.js";
import { documentMissing, documentTooLarge, GIVEN, invalidDocument, nameOf } from "./document-errors.js";
import { outsideReferences } from "./outside-references.js";
import { parseText } from "./parse-text.js";

/** Where the texts of a document and of those beside it are. */
export interface Shelf {
  /** Of the root document. */
  readonly address: string;
  read(address: string): Promise<string>;
  /** Whether a reference, as it is written, may be followed to the address that it means. */
  follows(reference: string, address: string): boolean;
}

/** Other files are read wherever a relative reference leads; nothing is fetched. */
export function fileShelf(file: string | URL, maxBytes: number): Shelf {
  const isUrl = file instanceof URL || file.startsWith("file:");
  return {
    address: isUrl ? new URL(file).href : pathToFileURL(resolve(file as string)).href,
    read: (address) => readFile(address, maxBytes),
    follows: (reference) => !/^([a-z][a-z0-9+.-]*:|[/\\])/i.test(reference),
  };
}

/** Only the host that the document came from is asked for others. */
export function urlShelf(url: string, read: (url: string) => Promise<string>): Shelf {
  const { href, origin } = new URL(url);
  return {
    address: href.replace(/#.*$/s, ""),
    read,
    follows: (_, address) => new URL(address).origin === origin,
  };
}

export function givenShelf(text: string): Shelf {
  return { address: GIVEN, read: async () => text, follows: () => false };
}

async function readFile(address: string, maxBytes: number): Promise<string> {
  const file = await open(fileURLToPath(address)).catch((thrown: unknown) => {
    const isMissing = isRecord(thrown) && (thrown["code"] === "ENOENT" || thrown["code"] === "ENOTDIR");
    throw isMissing
      ? documentMissing(address, thrown)
      : invalidDocument(address, `cannot be read: ${messageOf(thrown)}.`, { cause: thrown });
  });
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw invalidDocument(address, "is no file. Give the source the path of an OpenAPI document.");
    if (stat.size > maxBytes) throw documentTooLarge(address, maxBytes);
    return decodeText(await file.readFile(), undefined).text;
  } finally {
    await file.close();
  }
}

const MOST_DOCUMENTS = 200;
const AT_ONCE = 8;

/** The documents that a root document refers to, and those that they refer to. */
export class OtherDocuments {
  readonly documents: Map<string, unknown> = new Map();
  readonly warnings: Warning[] = [];
  readonly #shelf: Shelf;
  readonly #seen: Set<string>;
  #bytesLeft: number;
  #asked = 1;

  constructor(shelf: Shelf, bytesLeft: number) {
    this.#shelf = shelf;
    this.#seen = new Set([shelf.address]);
    this.#bytesLeft = bytesLeft;
  }

  async readAll(text: string): Promise<void> {
    const waiting = this.#wanted(text, this.#shelf.address);
    while (waiting.length > 0) {
      const addresses = waiting.splice(0, AT_ONCE);
      const texts = await Promise.all(addresses.map((address) => this.#read(address)));
      for (const [at, other] of texts.entries())
        if (isString(other)) waiting.push(...this.#wanted(other, addresses[at] as string));
    }
  }

  /** The addresses that a text refers to and that nobody has asked for yet. */
  #wanted(text: string, base: string): string[] {
    return [...outsideReferences(text)].flatMap((reference) => {
      const address = orElse(() => new URL(reference, base).href, undefined);
      if (address === undefined || this.#seen.has(address)) return [];
      this.#seen.add(address);
      const isAllowed = orElse(() => this.#shelf.follows(reference, address), false);
      if (!isAllowed) this.#notFollowed(address, "it is outside of what may be read for this document");
      else if (this.#asked < MOST_DOCUMENTS) return [this.#asking(address)];
      else this.#notFollowed(address, `a document may have ${MOST_DOCUMENTS} files`);
      return [];
    });
  }

  #asking(address: string): string {
    this.#asked++;
    return address;
  }

  async #read(address: string): Promise<string | undefined> {
    try {
      const text = await this.#shelf.read(address);
      if (text.length > this.#bytesLeft) throw documentTooLarge(address, this.#bytesLeft);
      this.#bytesLeft -= text.length;
      this.documents.set(address, await parseText(text, address));
      return text;
    } catch (thrown) {
      this.#notFollowed(address, messageOf(thrown).replace(/\.$/, ""));
      return undefined;
    }
  }

  #notFollowed(address: string, why: string): void {
    const message = `References to ${nameOf(address)} are not followed: ${why}. What they stand for accepts anything.`;
    this.warnings.push({ code: "REF_NOT_FOLLOWED", message });
  }
}
