import { run } from "./run.js";

for (const output of [process.stdout, process.stderr]) {
  output.on("error", (error: NodeJS.ErrnoException) => {
    // A reader that closes the pipe early, like `head`, has what it wanted.
    if (error.code === "EPIPE") process.exit();
    if (output === process.stdout) process.stderr.write(`plico: the output cannot be written: ${error.message}\n`);
    process.exit(2);
  });
}

// Node ends a pipe at exit, so a large document would be cut: set the code and let stdout drain.
process.exitCode = await run(process.argv.slice(2), process);
