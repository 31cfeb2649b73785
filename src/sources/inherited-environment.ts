/** Of our own variables a program gets only those that every program needs: the rest may hold secrets. */
export function inheritedEnvironment(): Record<string, string> {
  return variablesNamed(INHERITED);
}

/** Our own variables of these names, those that are set. */
export function variablesNamed(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

const INHERITED =
  process.platform === "win32"
    ? "APPDATA COMSPEC HOMEDRIVE HOMEPATH LOCALAPPDATA PATH PATHEXT PROCESSOR_ARCHITECTURE PROGRAMDATA PROGRAMFILES SYSTEMDRIVE SYSTEMROOT TEMP USERNAME USERPROFILE WINDIR".split(
        " ",
      )
    : "HOME LANG LOGNAME PATH SHELL TERM TMPDIR USER".split(" ");
