import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Runs a module with a caller on a memory bus; `wait.forever` never answers and `wait.echo` at once. */
function run(body: string): { status: number | null; output: string } {
  const source = `
    import { buildCallHandler, memoryBus, OperationRegistry, PendingRequestMap } from "plico";
    const spec = (name) => ({ namespace: "wait", name, version: "1.0.0", type: "query", description: "", inputSchema: true, outputSchema: true });
    const registry = new OperationRegistry()
      .registerSpec(spec("forever")).registerHandler("wait.forever", () => new Promise(() => {}))
      .registerSpec(spec("echo")).registerHandler("wait.echo", (input) => input);
    const bus = memoryBus();
    buildCallHandler({ registry, bus });
    const caller = new PendingRequestMap({ bus });
    ${body}`;
  const { status, stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", source], {
    cwd: root,
    encoding: "utf8",
    timeout: 20_000,
  });
  return { status, output: stdout.trim() };
}

describe("a process", () => {
  test("does not end before the time-out of a call that it awaits", () => {
    const { status, output } = run(`
      const { code } = await caller.call("wait.forever", 1, { deadline: Date.now() + 30 }).catch((error) => error);
      console.log(code);`);
    expect({ status, output }).toEqual({ status: 0, output: "TIMEOUT" });
  });

  test("ends when its calls have ended, however late their deadline", () => {
    const { status, output } = run(`
      const { data } = await caller.call("wait.echo", 5, { deadline: Date.now() + 3_600_000 });
      console.log(data);`);
    expect({ status, output }).toEqual({ status: 0, output: "5" });
  });
});
