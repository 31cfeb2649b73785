import { run } from "./run.js";

for (const output of [process.stdout, process.stderr]) {
  output.on("error", (error: NodeJS.ErrnoException) => {
    // A reader that closes the pipe early, like `head`, has what it wanted.
    if (error.code === "EPIPE") process.exit();
    if (output === process.stdout) process.stderr.write(`plico: the output cannot be written: ${error.message}\n`);
    process.exit(2);
  });
}

process.exitCode = await run(process.argv.slice(2), process);
// Node ends a pipe at exit, so a large document would be cut. What else is open, as a timer of a module, nobody waits for.
await Promise.all([process.stdout, process.stderr].map(drained));
process.exit();

function drained(output: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (output.writableLength === 0) resolve();
    else output.write("", () => resolve());
  });
}
