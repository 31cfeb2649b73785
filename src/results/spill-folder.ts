import { mkdir, mkdtemp, open, rm, rmdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ResultBytes } from "./result-bytes.js";

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/** The files of a store, in a folder that is made when the first one is written. */
export class SpillFolder {
  readonly #given: string | undefined;
  readonly #files = new Set<string>();
  readonly #removals = new Set<Promise<void>>();
  #folder: Promise<Folder> | undefined;

  constructor(given: string | undefined) {
    this.#given = given;
  }

  /** Writes a new file that only its owner may read. Where that fails, no part of it is left. */
  async write(name: string, content: Buffer): Promise<SpilledFile> {
    try {
      return await this.#write(name, content);
    } catch (thrown) {
      if (!isMissing(thrown)) throw thrown;
      // Whoever cleans the system's folder for temporary files may have taken ours.
      this.#folder = undefined;
      return this.#write(name, content);
    }
  }

  /** Begins to remove a file; `settled` waits for it. */
  remove(path: string): void {
    this.#files.delete(path);
    const removal = rm(path, { force: true })
      .catch(() => {})
      .then(() => {
        this.#removals.delete(removal);
      });
    this.#removals.add(removal);
  }

  async settled(): Promise<void> {
    if (this.#removals.size > 0) await Promise.all(this.#removals);
  }

  /** Removes all files, and the folder if it was made here. */
  async close(): Promise<void> {
    for (const path of this.#files) this.remove(path);
    await this.settled();
    const folder = await this.#folder?.catch(() => undefined);
    // Others may have put something into a folder that has a name.
    if (folder?.isOwn === true) await rmdir(folder.path).catch(() => {});
  }

  async #write(name: string, content: Buffer): Promise<SpilledFile> {
    const path = join((await this.#open()).path, name);
    try {
      await writeFile(path, content, { mode: FILE_MODE, flag: "wx" });
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== "EEXIST") this.remove(path);
      throw thrown;
    }
    this.#files.add(path);
    return new SpilledFile(path, content.length);
  }

  #open(): Promise<Folder> {
    this.#folder ??= makeFolder(this.#given).catch((thrown: unknown) => {
      this.#folder = undefined;
      throw thrown;
    });
    return this.#folder;
  }
}

function isMissing(thrown: unknown): boolean {
  return (thrown as NodeJS.ErrnoException).code === "ENOENT";
}

interface Folder {
  readonly path: string;
  readonly isOwn: boolean;
}

async function makeFolder(given: string | undefined): Promise<Folder> {
  if (given === undefined) return { path: await mkdtemp(join(tmpdir(), "plico-results-")), isOwn: true };
  const made = await mkdir(given, { recursive: true, mode: FOLDER_MODE });
  return { path: given, isOwn: made !== undefined };
}

/** The file is gone, or not the one that was written. */
export class LostFile extends Error {}

/** A result in a file. Only what is asked for is read. */
export class SpilledFile implements ResultBytes {
  readonly path: string;
  readonly length: number;

  constructor(path: string, length: number) {
    this.path = path;
    this.length = length;
  }

  /** Throws a `LostFile`, or why it cannot be read just now. */
  async read(from: number, to: number): Promise<Buffer> {
    const file = await open(this.path, "r").catch((thrown: unknown) => {
      throw isMissing(thrown) ? new LostFile() : thrown;
    });
    try {
      const buffer = Buffer.allocUnsafe(to - from);
      let filled = 0;
      while (filled < buffer.length) {
        const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, from + filled);
        if (bytesRead === 0) throw new LostFile();
        filled += bytesRead;
      }
      return buffer;
    } finally {
      await file.close();
    }
  }
}
