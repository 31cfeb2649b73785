import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RequestPlan } from "../plan.js";
import { buildRequest } from "./build-request.js";
import { decodeParameter } from "./fixtures/decode-parameter.js";
import { bodyOf, encodingOf, fieldOf, parameterOf, planOf } from "./fixtures/plans.js";
import { STYLE_TABLE } from "./fixtures/style-table.js";

const AWKWARD = ["a/b", "../x", "a b+c%", "ü東京🎉", "a,b;c=d", "", "100%", "a\nb", "%2F", "a&b=c#d[e]", "null"];

/** What arrived, as it was on the wire. */
interface Arrived {
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

let server: Server;
let arrived: Arrived;

beforeAll(async () => {
  server = createServer(async (incoming, answer) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    arrived = {
      target: incoming.url ?? "",
      headers: Object.fromEntries(Object.entries(incoming.headers).map(([name, text]) => [name, String(text)])),
      body: Buffer.concat(chunks),
    };
    answer.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});

afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
});

async function send(plan: RequestPlan, input: Record<string, unknown>): Promise<Arrived> {
  const { method, path, query, headers, body } = buildRequest(plan, input);
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve, reject) => {
    const options = { port, host: "127.0.0.1", method, path: query === "" ? path : `${path}?${query}` };
    const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
    const sent = request({ ...options, headers: { ...headers, ...length }, agent: false }, (answer) =>
      answer.resume().on("end", resolve),
    );
    sent.on("error", reject).end(body);
  });
  return arrived;
}

describe.each(STYLE_TABLE)("%s, %s, explode %s", (place, style, explode) => {
  const plan = planOf({ path: "/a/b{color}/c", parameters: [parameterOf({ in: place, style, explode })] });
  const usual = planOf({ path: "/a", parameters: plan.parameters });

  test.each(AWKWARD)("carries %j, alone and among others", async (text) => {
    for (const value of [text, [text, "x", text], { k: text, l: "x" }]) {
      if (!canCarry(place, style, explode, value)) continue;
      const { target, headers } = await send(place === "path" ? plan : usual, { color: value });
      expect(target.split("?")[0]?.split("/")).toHaveLength(place === "path" ? 4 : 2);
      const kind = Array.isArray(value) ? "array" : typeof value === "object" ? "object" : "string";
      expect(decodeParameter({ place, style, explode, kind, target, headers })).toEqual(value);
    }
  });
});

/** Where the styles themselves are ambiguous, or HTTP has no way: the specification leaves these to the users. */
function canCarry(place: string, style: string, explode: boolean, value: string | object): boolean {
  const isText = typeof value === "string";
  const text = isText ? value : Object.values(value).join("");
  if (place === "header") return !text.includes("\n") && (isText || !text.includes(","));
  if (style === "label" && explode && !isText) return !text.includes(".");
  if (style === "spaceDelimited" && !explode && !isText) return !text.includes(" ");
  return true;
}

describe("queries as a server's own parser reads them", () => {
  test.each(AWKWARD)("carry %j", async (text) => {
    const parameters = [
      parameterOf({ name: `n${text}` }),
      parameterOf({ name: "list" }),
      parameterOf({ name: "json", mediaType: "application/json" }),
    ];
    const { target } = await send(planOf({ parameters }), { [`n${text}`]: text, list: [text, text], json: { text } });
    const query = new URL(target, "http://localhost").searchParams;
    expect(query.get(`n${text}`)).toBe(text);
    expect(query.getAll("list")).toEqual([text, text]);
    expect(JSON.parse(query.get("json") ?? "")).toEqual({ text });
  });

  test.each(AWKWARD.filter((text) => !/%[\dA-F]{2}/.test(text)))("carry %j with reserved characters", async (text) => {
    const { target } = await send(planOf({ parameters: [parameterOf({ allowReserved: true })] }), { color: text });
    expect(new URL(target, "http://localhost").searchParams.get("color")).toBe(text);
  });

  test.each(AWKWARD)("carry %j as a whole", async (text) => {
    const whole = parameterOf({ in: "querystring", name: "q" });
    const form = await send(planOf({ parameters: [whole] }), { q: { a: text, b: [text, "x"] } });
    const query = new URL(form.target, "http://localhost").searchParams;
    expect([query.get("a"), query.getAll("b")]).toEqual([text, [text, "x"]]);
    const json = await send(planOf({ parameters: [{ ...whole, mediaType: "application/json" }] }), { q: [text] });
    expect(JSON.parse(decodeURIComponent(json.target.slice(2)))).toEqual([text]);
  });
});

describe("headers and cookies", () => {
  test.each(AWKWARD)("carry %j as JSON", async (text) => {
    const parameters = (["header", "cookie"] as const).map((place) =>
      parameterOf({ in: place, name: place, mediaType: "application/json" }),
    );
    const { headers } = await send(planOf({ parameters }), { header: { text }, cookie: { text } });
    expect(JSON.parse(headers["header"] ?? "")).toEqual({ text });
    expect(JSON.parse(decodeURIComponent(headers["cookie"]?.slice("cookie=".length) ?? ""))).toEqual({ text });
  });

  test("carry other bytes than ASCII beside a body too", async () => {
    const plan = planOf({
      method: "POST",
      parameters: [parameterOf({ in: "header" })],
      body: bodyOf({ wholeKey: "b" }),
    });
    const { headers, body } = await send(plan, { color: "ü東京", b: "ü" });
    expect(Buffer.from(headers["color"] ?? "", "latin1").toString()).toBe("ü東京");
    expect(JSON.parse(body.toString())).toBe("ü");
  });
});

describe("bodies", () => {
  const read = async ({ body, headers }: Arrived): Promise<FormData> =>
    new Response(new Uint8Array(body), { headers: { "content-type": headers["content-type"] ?? "" } }).formData();

  test.each(AWKWARD)("carry %j in JSON and as text", async (text) => {
    const json = await send(planOf({ method: "POST", body: bodyOf({ isOpen: true }) }), { [text]: text, list: [text] });
    expect(json.headers["content-type"]).toBe("application/json");
    expect(JSON.parse(json.body.toString())).toEqual({ [text]: text, list: [text] });
    const plain = bodyOf({ kind: "text", mediaType: "text/plain", wholeKey: "b" });
    const { body, headers } = await send(planOf({ method: "PUT", body: plain }), { b: text });
    expect([body.toString(), headers["content-type"]]).toEqual([text, "text/plain; charset=utf-8"]);
  });

  test.each(AWKWARD)("carry %j in forms", async (text) => {
    const mediaType = "application/x-www-form-urlencoded";
    const deep = fieldOf({ name: "deep", encoding: encodingOf({ style: "deepObject" }) });
    const plan = planOf({ method: "POST", body: bodyOf({ kind: "form", mediaType, fields: [deep], isOpen: true }) });
    const input = { [`n${text}`]: text, list: [text, "x"], object: { text }, deep: { a: [{ b: text }] } };
    const form = await read(await send(plan, input));
    expect(form.get(`n${text}`)).toBe(text);
    expect(form.getAll("list")).toEqual([text, "x"]);
    expect(JSON.parse(String(form.get("object")))).toEqual({ text });
    expect(form.get("deep[a][0][b]")).toBe(text);
  });

  test.each(AWKWARD)("carry %j in the parts of a multipart body", async (text) => {
    const fields = [fieldOf({ name: "file", isFile: true }), fieldOf({ name: "files", isFileList: true })];
    const body = bodyOf({ kind: "multipart", mediaType: "multipart/form-data", fields, isOpen: true });
    const form = await read(
      await send(planOf({ method: "POST", body }), {
        text,
        list: [text, "x"],
        object: { text },
        file: { text, filename: "ü.txt", mediaType: "text/plain" },
        files: [text, { base64: Buffer.from(text).toString("base64") }],
      }),
    );
    expect(form.get("text")).toBe(text);
    expect(form.getAll("list")).toEqual([text, "x"]);
    expect(JSON.parse(await textOf(form.get("object")))).toEqual({ text });
    const file = form.get("file") as File;
    expect([file.name, file.type, await file.text()]).toEqual(["ü.txt", "text/plain", text]);
    expect(await Promise.all(form.getAll("files").map(textOf))).toEqual([text, text]);
  });

  test("carry all bytes", async () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, at) => at));
    const file = { base64: bytes.toString("base64"), mediaType: "image/png" };
    const binary = bodyOf({ kind: "binary", mediaType: "application/octet-stream", wholeKey: "file" });
    const alone = await send(planOf({ method: "POST", body: binary }), { file });
    expect([alone.headers["content-type"], alone.body]).toEqual(["image/png", bytes]);
    const fields = [fieldOf({ name: "file", isFile: true })];
    const multipart = bodyOf({ kind: "multipart", mediaType: "multipart/form-data", fields });
    const form = await read(await send(planOf({ method: "POST", body: multipart }), { file }));
    expect(Buffer.from(await (form.get("file") as File).arrayBuffer())).toEqual(bytes);
  });

  test("are sent with GET and DELETE too", async () => {
    for (const method of ["GET", "DELETE"]) {
      const { body } = await send(planOf({ method, body: bodyOf({ wholeKey: "b" }) }), { b: { a: 1 } });
      expect(JSON.parse(body.toString())).toEqual({ a: 1 });
    }
  });
});

async function textOf(entry: FormDataEntryValue | null): Promise<string> {
  return typeof entry === "string" || entry === null ? String(entry) : entry.text();
}
