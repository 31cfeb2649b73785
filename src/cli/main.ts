import { run } from "./run.js";

/** How long a call may take to end whose output nobody reads, in milliseconds. */
const LONGEST_END_MS = 5_000;
let isUnread = false;

for (const output of [process.stdout, process.stderr]) {
  output.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") {
      endUnread();
      return;
    }
    if (output === process.stdout) process.stderr.write(`plico: the output cannot be written: ${error.message}\n`);
    process.exit(2);
  });
}

process.exitCode = await run(process.argv.slice(2), process);
// Node ends a pipe at exit, so a large document would be cut. What else is open, as a timer of a module, nobody waits for.
await Promise.all([process.stdout, process.stderr].map(drained));
process.exit();

/** A reader that closes the pipe early, like `head`, has what it wanted. A call is ended where it runs, if it is still. */
function endUnread(): void {
  if (isUnread) return;
  isUnread = process.emit("SIGPIPE", "SIGPIPE");
  if (!isUnread) process.exit();
  setTimeout(() => process.exit(), LONGEST_END_MS);
}

function drained(output: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (output.writableLength === 0) resolve();
    else output.write("", () => resolve());
  });
}
