import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { delimiter } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BINARY, Stage } from "./gateway-stage.js";

let stage: Stage;

beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage.close());

const call = (...words: string[]) => stage.pipe(["call", ...words]);

const ESCAPE = "\u001b";

describe("the built command in pipes", () => {
  test("lists operations without colours, and as JSON", async () => {
    const [text, json] = await Promise.all([stage.pipe(["ls"]), stage.pipe(["ls", "--json"])]);
    expect([text.code, json.code]).toEqual([0, 0]);
    expect(text.out).not.toContain(ESCAPE);
    for (const id of ["tools.add", "report.report", "notes.getNote"]) {
      expect(text.out).toContain(id);
      expect(json.out).toContain(`"${id}"`);
    }
    expect(() => JSON.parse(json.out)).not.toThrow();
  });

  test("answers with the JSON of an envelope, of the data alone, or of a dialect", async () => {
    const words = ["tools.greet", "name=Ada", "times=2", "loud=true"];
    const [whole, data, helper] = await Promise.all([
      call(...words),
      call(...words, "--data"),
      call(...words, "--as", "helper-output"),
    ]);
    expect([whole.code, data.code, helper.code]).toEqual([0, 0, 0]);
    expect(JSON.parse(whole.out)).toMatchObject({ data: { greeting: "Ada! Ada!" } });
    expect(JSON.parse(data.out)).toEqual({ greeting: "Ada! Ada!" });
    expect(JSON.parse(helper.out)).toMatchObject({ schema_version: expect.anything(), greeting: "Ada! Ada!" });
    expect(whole.out).not.toContain(ESCAPE);
  });

  test("takes an input from a text, a file and a pipe", async () => {
    stage.write("sum.json", '{"a":3,"b":4}');
    const answers = await Promise.all([
      call("tools.add", "--input", '{"a":3,"b":4}', "--data"),
      call("tools.add", "--input", "@sum.json", "--data"),
      stage.pipe(["call", "tools.add", "--input", "-", "--data"], '{"a":3,"b":4}'),
    ]);
    expect(answers.map(({ out }) => JSON.parse(out))).toEqual([{ sum: 7 }, { sum: 7 }, { sum: 7 }]);
  });

  test("calls every kind of source", async () => {
    const [script, api] = await Promise.all([
      call("report", "--input", '{"x":1}', "--data"),
      call("notes.getNote", "id=n1", "--data"),
    ]);
    expect(JSON.parse(script.out)).toMatchObject({ report: { x: 1 } });
    expect(JSON.parse(api.out)).toEqual({ id: "n1", text: "note n1" });
  });

  test("calls what has no file, by its name alone", async () => {
    const { code, out } = await stage.pipe(["call", "add", "a=1", "b=2", "--module", "tools.mjs", "--data"]);
    expect({ code, out: JSON.parse(out) }).toEqual({ code: 0, out: { sum: 3 } });
  });

  test("says which name was meant", async () => {
    const [operation, field] = await Promise.all([call("tools.ad", "a=1"), call("tools.greet", "nam=Ada")]);
    expect(operation.err).toContain("tools.add");
    expect(operation.code).toBe(66);
    expect(field.err).toMatch(/name/);
    expect(field.code).toBe(2);
    for (const { err } of [operation, field]) expect(err).not.toMatch(/\n\s+at /);
  });

  test("follows pages, and writes a line for each value of a stream", async () => {
    const [pages, stream] = await Promise.all([
      call("tools.people", "--pages", "all", "--data"),
      call("tools.count", "to=3", "--data"),
    ]);
    const lines = (text: string): unknown[] =>
      text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
    expect(lines(pages.out)).toEqual([["ada", "ben"], ["cleo", "dan"], ["eve"]]);
    expect(lines(stream.out)).toEqual([{ number: 1 }, { number: 2 }, { number: 3 }]);
  });

  test("ends with the code of the error's category", async () => {
    const codes = { execution: 1, timeout: 124, authorization: 77, rate_limit: 75, not_found: 66, unavailable: 69 };
    const ended = await Promise.all(
      Object.keys(codes).map(async (category) => [category, (await call("tools.fail", `category=${category}`)).code]),
    );
    expect(Object.fromEntries(ended)).toEqual(codes);
  });

  test("gives up at its time-out", async () => {
    const { code } = await call("tools.wait", `report=${stage.path("late.txt")}`, "--timeout", "200ms");
    expect(code).toBe(124);
  });

  test("does not destroy anything unless it is told that somebody is sure", async () => {
    stage.write("dear.txt", "dear");
    const words = ["tools.remove", `file=${stage.path("dear.txt")}`];
    expect((await call(...words)).code).toBe(2);
    expect(existsSync(stage.path("dear.txt"))).toBe(true);
    expect((await call(...words, "--yes")).code).toBe(0);
    expect(existsSync(stage.path("dear.txt"))).toBe(false);
  });

  test("completes commands, flags and operations in bash", () => {
    const folder = stage.path("bin");
    mkdirSync(folder);
    writeFileSync(stage.path("bin/plico"), `#!/bin/sh\nexec '${process.execPath}' '${BINARY}' "$@"\n`, { mode: 0o755 });
    const completed = (...words: string[]): string => {
      const list = words.map((word) => `'${word}'`).join(" ");
      const text = `
        source <(plico completion bash)
        COMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; COMP_LINE='${words.join(" ")}'; COMP_POINT=\${#COMP_LINE}
        name=$(complete -p plico | sed 's/.*-F \\([^ ]*\\).*/\\1/')
        "$name" plico '${words.at(-1)}' '${words.at(-2)}'
        printf '%s\\n' "\${COMPREPLY[@]}"`;
      const env = { PATH: `${folder}${delimiter}${process.env["PATH"]}`, HOME: stage.folder };
      const { stdout, stderr } = spawnSync("bash", ["-c", text], { cwd: stage.folder, encoding: "utf8", env });
      expect(stderr).toBe("");
      return stdout;
    };
    expect(completed("plico", "ca").trim()).toBe("call");
    expect(completed("plico", "call", "tools.gr").trim()).toBe("tools.greet");
    expect(completed("plico", "call", "--idem")).toContain("--idempotency-key");
  });
});

describe("plico serve", () => {
  const add = async (url: string): Promise<unknown> => {
    const body = JSON.stringify({ a: 1, b: 2 });
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${url}/operations/tools.add`, { method: "POST", body, headers });
    return ((await response.json()) as { data: { sum?: unknown } }).data.sum;
  };

  const health = async (url: string): Promise<Record<string, unknown>> =>
    (await (await fetch(`${url}/healthz`)).json()) as Record<string, unknown>;

  test("answers while a source never gets ready, and ends its program with itself", async () => {
    const never = [process.execPath, "-e", "setInterval(() => {}, 1000)"];
    const slow = { mcp: never, env: stage.mark.env, graceMs: 100 };
    stage.write("slow.json", JSON.stringify({ sources: { slow, tools: { module: "./tools.mjs" } } }));
    const served = await stage.serve("--config", "slow.json");
    expect(await health(served.url)).toMatchObject({ status: "starting" });
    await expect.poll(() => add(served.url)).toBe(3);
    expect(await health(served.url)).toMatchObject({ status: "starting" });
    expect((await served.end("SIGTERM")).code).toBe(0);
    await expect.poll(() => stage.mark.alive()).toEqual([]);
  });

  test.each(["SIGINT", "SIGTERM"] as const)("ends well at %s, and answers what runs", async (signal) => {
    const served = await stage.serve();
    await expect.poll(() => add(served.url)).toBe(3);
    const body = JSON.stringify({ until: stage.path(`end-${signal}`) });
    const headers = { "content-type": "application/json" };
    const running = fetch(`${served.url}/operations/tools.work`, { method: "POST", body, headers });
    await expect.poll(async () => JSON.stringify(await health(served.url))).toContain('"running":1');
    const ended = served.end(signal);
    stage.write(`end-${signal}`, "");
    expect((await running).status).toBe(200);
    expect((await ended).code).toBe(0);
    expect(stage.mark.alive()).toEqual([]);
  });

  test("says that a port is taken", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const { port } = other.address() as AddressInfo;
    const { code, err } = await stage.pipe(["serve", "--port", String(port)]);
    expect(code).toBeGreaterThan(0);
    expect(err).toContain(String(port));
    expect(err).not.toMatch(/\n\s+at /);
    await new Promise((resolve) => other.close(resolve));
  });

  test("follows its files while it is called, and keeps what it has where they are broken", async () => {
    const text = stage.read("tools.mjs");
    const plico = stage.read("plico.json");
    const served = await stage.serve();
    await expect.poll(() => add(served.url)).toBe(3);
    const answers = new Set<unknown>();
    let isOver = false;
    const calling = (async () => {
      while (!isOver) answers.add(await add(served.url));
    })();

    stage.write("tools.mjs", text.replace("sum: a + b", "sum: a + b + 100"));
    await expect.poll(() => add(served.url)).toBe(103);
    stage.write("tools.mjs", "export const add = {");
    stage.write("plico.json", '{ "sources": ');
    await expect.poll(served.said).toMatch(/tools\.mjs|tools[\s\S]*plico\.json/);
    expect(await add(served.url)).toBe(103);

    stage.write("tools.mjs", text);
    const { sources } = JSON.parse(plico) as { sources: Record<string, unknown> };
    stage.configure({ ...sources, more: { module: "./tools.mjs", namespace: "more" } });
    await expect.poll(async () => await (await fetch(`${served.url}/operations`)).text()).toContain('"more.add"');
    await expect.poll(() => add(served.url)).toBe(3);
    isOver = true;
    await calling;
    expect([...answers].sort()).toEqual([103, 3]);
    expect((await served.end()).code).toBe(0);
    stage.write("plico.json", plico);
  });
});
