import { run } from "./run.js";

// A reader that closes the pipe early, like `head`, has what it wanted.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit();
});

// Node ends a pipe at exit, so a large document would be cut: set the code and let stdout drain.
process.exitCode = await run(process.argv.slice(2), process);
