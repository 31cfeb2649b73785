import { type FSWatcher, watch } from "node:fs";
import { basename, dirname } from "node:path";
import { messageOf } from "../../json/attempt.js";
import { isRecord } from "../../json/value.js";
import { fingerprintOf } from "./hooks.js";

/** Editors write a file in several steps. */
const REST_MS = 40;

/** Files, also such as do not exist yet, that are watched for another content. */
export class FollowedFiles {
  readonly #onChange: () => void;
  readonly #fingerprints = new Map<string, string>();
  /** By folder: a file that is replaced by another one would no longer be seen itself. */
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #faults = new Map<string, string>();
  #isClosed = false;
  #resting: ReturnType<typeof setTimeout> | undefined;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get files(): readonly string[] {
    return [...this.#fingerprints.keys()];
  }

  /** Why changes may go unseen. */
  get faults(): readonly string[] {
    return [...this.#faults.values()];
  }

  /** The fingerprint is that of what was read; without one the file is taken for known as it is. */
  add(file: string, fingerprint?: string): void {
    if (this.#isClosed) return;
    if (!this.#watchers.has(dirname(file))) this.#watch(dirname(file));
    if (fingerprint !== undefined || !this.#fingerprints.has(file))
      this.#fingerprints.set(file, fingerprint ?? fingerprintOf(file));
  }

  /** Takes what is in the files for known. */
  accept(): void {
    // A folder that was taken away and made again is no longer seen by its watcher.
    this.#unwatch(() => true);
    for (const file of this.files) this.add(file, fingerprintOf(file));
  }

  /** Forgets all other files. */
  retain(files: ReadonlySet<string>): void {
    for (const file of this.files) if (!files.has(file)) this.#fingerprints.delete(file);
    const folders = new Set(this.files.map(dirname));
    this.#unwatch((folder) => !folders.has(folder));
  }

  /** Tells of what has changed since it was added or accepted. */
  look(): void {
    const isOther = [...this.#fingerprints].some(([file, fingerprint]) => fingerprintOf(file) !== fingerprint);
    if (isOther && !this.#isClosed) this.#onChange();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#resting);
    this.#unwatch(() => true);
  }

  #watch(folder: string): void {
    try {
      const watcher = watch(folder, { persistent: false }, (_, name) => this.#notice(folder, name));
      watcher.on("error", (thrown) => this.#faults.set(folder, messageOf(thrown)));
      this.#watchers.set(folder, watcher);
      this.#faults.delete(folder);
    } catch (thrown) {
      // An import of what is in no folder yet; there is nothing to watch.
      if (!isRecord(thrown) || thrown["code"] !== "ENOENT") this.#faults.set(folder, messageOf(thrown));
    }
  }

  #unwatch(isOver: (folder: string) => boolean): void {
    for (const [folder, watcher] of this.#watchers)
      if (isOver(folder)) {
        watcher.close();
        this.#watchers.delete(folder);
      }
  }

  #notice(folder: string, name: string | null): void {
    const isOurs = this.files.some((file) => dirname(file) === folder && (name === null || basename(file) === name));
    if (!isOurs || this.#isClosed) return;
    clearTimeout(this.#resting);
    this.#resting = setTimeout(() => this.look(), REST_MS);
    this.#resting.unref();
  }
}
