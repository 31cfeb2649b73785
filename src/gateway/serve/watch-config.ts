import { type FSWatcher, statSync, watch } from "node:fs";
import { dirname } from "node:path";
import { orElse } from "../../json/attempt.js";

export interface ConfigWatch {
  close(): void;
}

/** An editor writes a file in several steps. */
const QUIET_MS = 100;

/** Some folders, such as those shared with a container, tell nothing of changes: so they are looked for too. */
const LOOK_MS = 2_000;

/** Calls back after a file was changed, replaced, or is there again. While it is gone, nothing is told. */
export function watchConfig(file: string, onChange: () => void): ConfigWatch {
  let known = stateOf(file);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = (): void => {
    const now = stateOf(file);
    if (now === known) return;
    known = now;
    if (now !== undefined) onChange();
  };
  const lookSoon = (): void => {
    clearTimeout(timer);
    timer = setTimeout(look, QUIET_MS);
  };
  const watcher = folderWatcher(dirname(file), lookSoon);
  const looking = setInterval(look, LOOK_MS).unref();
  return {
    close() {
      watcher?.close();
      clearInterval(looking);
      clearTimeout(timer);
    },
  };
}

/** The folder and not the file: most editors replace the file by another one. */
function folderWatcher(folder: string, onEvent: () => void): FSWatcher | undefined {
  const watcher = orElse<FSWatcher | undefined>(() => watch(folder, onEvent), undefined);
  // The folder may go too. Then changes are still found by looking.
  return watcher?.on("error", () => watcher.close());
}

/** Another one after each change; none where there is no file, or none that can be looked at. */
function stateOf(file: string): string | undefined {
  const found = orElse(() => statSync(file), undefined);
  return found === undefined ? undefined : `${found.ino} ${found.size} ${found.mtimeMs}`;
}
