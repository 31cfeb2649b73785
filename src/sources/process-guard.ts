import { type ChildProcess, spawn } from "node:child_process";

/**
 * Reads lines "WORD GROUP…" until the pipe ends: then we are gone. The last one counts, with those after it that only add
 * groups. Where there is a `/proc`, it looks for those who left the groups; it sends TERM, unless we did, and KILL to those
 * who are left after two seconds.
 */
const SCRIPT = `
trap '' HUP INT TERM
word=guard groups=
while read -r first rest; do
  case $first in add) groups="$groups $rest" ;; *) word=$first groups=$rest ;; esac
done
[ -n "$groups" ] || exit 0
send() { for group in $groups; do kill -s "$1" -- "-$group"; done; }
look() {
  for stat in /proc/[0-9]*/stat; do
    pid=\${stat#/proc/} pid=\${pid%/stat}
    case $known in *" $pid "*) continue ;; esac
    read -r line <"$stat" || continue
    set -- \${line##*) }
    # No family has these sessions; who has them would lead to everybody.
    case $4 in 0 | 1) continue ;; esac
    case $known in *" $2 "* | *" $4 "*) ;; *) continue ;; esac
    known="$known$pid $4 " grown=yes
    case " $groups " in *" $3 "*) ;; *) groups="$groups $3" ;; esac
  done
}
if [ "$word" = guard ]; then
  known=" $groups " grown=
  read -r self rest </proc/self/stat && [ "$self" = "$$" ] && grown=yes
  while [ -n "$grown" ]; do grown=; look; done
  send TERM
fi
step=0
while [ "$step" -lt 20 ]; do
  left=
  for group in $groups; do kill -s 0 -- "-$group" && left="$left $group"; done
  groups=$left
  [ -n "$groups" ] || exit 0
  sleep 0.1 || sleep 1
  step=$((step + 1))
done
send KILL
`;

/** A shell that outlives us, to end groups of processes when we are killed and can do nothing ourselves. */
export class ProcessGuard {
  readonly #shell: ChildProcess;

  constructor(shell = "/bin/sh") {
    this.#shell = spawn(shell, ["-c", SCRIPT, "plico-guard"], {
      // It must not hold what is ours: neither a directory, nor a pipe, nor the secrets of our environment.
      cwd: "/",
      env: { PATH: "/usr/bin:/bin" },
      stdio: ["pipe", "ignore", "ignore"],
      detached: true,
    });
    this.#shell.on("error", () => {});
    this.#shell.unref();
    const { stdin } = this.#shell;
    stdin?.on("error", () => {});
    // In Node the pipe is a socket, though its type does not say so.
    (stdin as { unref?: () => void } | null)?.unref?.();
  }

  get pid(): number | undefined {
    return this.#shell.pid;
  }

  get isAlive(): boolean {
    const { pid, exitCode, signalCode } = this.#shell;
    return pid !== undefined && exitCode === null && signalCode === null;
  }

  /** From now on this group too. A shell reads one character after the other, so that a short line is worth having. */
  add(group: number): void {
    this.#tell("add", [group]);
  }

  /** From now on it is these groups. */
  guard(groups: readonly number[]): void {
    this.#tell("guard", groups);
  }

  /** Our last word: these groups have got their TERM, and get KILL when we have gone. */
  finish(groups: readonly number[]): void {
    this.#tell("finish", groups);
  }

  close(): void {
    this.#tell("guard", []);
    this.#shell.stdin?.end();
  }

  #tell(word: "add" | "guard" | "finish", groups: readonly number[]): void {
    if (this.isAlive) this.#shell.stdin?.write(`${[word, ...groups].join(" ")}\n`);
  }
}
