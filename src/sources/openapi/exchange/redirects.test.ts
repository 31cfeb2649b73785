import { describe, expect, test } from "vitest";
import {
  client,
  control,
  failureOf,
  get,
  type HttpTestServer,
  httpServer,
  kindOf,
  text,
  tidyUpExchanges,
} from "./fixtures/exchange-servers.js";
import { addressRule } from "./private-address.js";

tidyUpExchanges();

const SECRETS = {
  headers: { authorization: "Bearer s3cret", "x-api-key": "s3cret" },
  query: "key=s3cret",
  cookie: "sid=s3cret",
};

describe("a redirect", () => {
  test("is followed with all secrets on the same host", async () => {
    const server = await redirecting((path) => (path.startsWith("/old") ? "../new?a=1#part" : undefined));
    const answer = await client().send(get(`${server.url}/old/x`, { secrets: SECRETS }), control());
    expect(answer).toMatchObject({ status: 200, url: `${server.url}/new?a=1` });
    expect(text(await answer.bytes())).toBe("here");
    expect(server.arrived[1]).toMatchObject({ path: "/new?a=1&key=s3cret" });
    expect(server.arrived[1]?.headers).toMatchObject({ "x-api-key": "s3cret", cookie: "sid=s3cret" });
    expect(server.connections).toBe(1);
  });

  test("does not show a secret that the server gives back, nor send it twice", async () => {
    const server = await redirecting((path) =>
      path.startsWith("/old") ? `/new?b=2&${path.split("?")[1]}` : undefined,
    );
    const answer = await client().send(get(`${server.url}/old?a=1`, { secrets: SECRETS }), control());
    expect(answer.url).toBe(`${server.url}/new?b=2&a=1`);
    expect(server.arrived[1]?.path).toBe("/new?b=2&a=1&key=s3cret");
    answer.discard();
  });

  test("gives another host no secret and no header that may be one", async () => {
    const other = await httpServer((_arrived, response) => response.end("there"));
    const server = await redirecting((path) => `${other.url}/there?${path.split("?")[1]}`);
    const headers = {
      accept: "text/plain",
      Authorization: "Basic s3cret",
      "proxy-authorization": "s3cret",
      cookie: "a=s3cret",
      "x-token": "s3cret",
    };
    const answer = await client().send(get(`${server.url}/?a=1`, { headers, secrets: SECRETS }), control());
    expect(text(await answer.bytes())).toBe("there");
    expect(JSON.stringify(other.arrived)).not.toContain("s3cret");
    expect(other.arrived[0]).toMatchObject({ path: "/there?a=1", headers: { accept: "text/plain" } });
  });

  test("back from another host does not bring the secrets back", async () => {
    const server: HttpTestServer = await redirecting((path) => (path.startsWith("/a") ? `${other.url}/b` : undefined));
    const other = await redirecting(() => `${server.url}/c`);
    (await client().send(get(`${server.url}/a`, { secrets: SECRETS }), control())).discard();
    expect(server.arrived.map(({ path }) => path)).toEqual(["/a?key=s3cret", "/c"]);
    expect(JSON.stringify(server.arrived[1])).not.toContain("s3cret");
  });

  test("to another port is one to another host", async () => {
    const other = await httpServer((_arrived, response) => response.end());
    const server = await redirecting(() => `http://127.0.0.1:${other.port}/`);
    (await client().send(get(server.url, { secrets: SECRETS }), control())).discard();
    expect(other.arrived[0]?.headers.authorization).toBeUndefined();
  });

  test.each([
    [301, "POST", "GET"],
    [302, "POST", "GET"],
    [303, "POST", "GET"],
    [303, "PUT", "GET"],
    [303, "HEAD", "HEAD"],
    [301, "PUT", "PUT"],
    [302, "DELETE", "DELETE"],
    [307, "POST", "POST"],
    [308, "PATCH", "PATCH"],
  ])("with %i makes of %s a %s", async (status, method, next) => {
    const server = await redirecting((path) => (path === "/old" ? "/new" : undefined), status);
    const headers = { "content-type": "text/plain", "x-mine": "1" };
    const body = method === "HEAD" ? undefined : "body";
    (await client().send(get(`${server.url}/old`, { method, headers, body }), control())).discard();
    const isKept = next === method && method !== "HEAD";
    expect(server.arrived[1]).toMatchObject({ method: next, body: isKept ? "body" : "" });
    expect(server.arrived[1]?.headers["x-mine"]).toBe("1");
    if (next === "GET") expect(server.arrived[1]?.headers["content-type"]).toBeUndefined();
  });

  test.each([307, 308, 301])("with %i does not carry a body to another host", async (status) => {
    const other = await httpServer((_arrived, response) => response.end());
    const server = await redirecting(() => other.url, status);
    const put = get(server.url, { method: "PUT", body: "s3cret" });
    const error = await failureOf(client().send(put, control()));
    expect(error).toMatchObject({ category: "execution", code: "REDIRECT_REFUSED" });
    expect(error.message).toContain(`127.0.0.1:${other.port}`);
    expect(other.connections).toBe(0);
  });

  test("without a body may go to another host", async () => {
    const other = await httpServer((_arrived, response) => response.end("done"));
    const server = await redirecting(() => other.url, 307);
    const answer = await client().send(get(server.url, { method: "DELETE" }), control());
    expect(text(await answer.bytes())).toBe("done");
    expect(other.arrived[0]?.method).toBe("DELETE");
  });

  test("in a loop ends, and says where it went", async () => {
    const server = await redirecting(() => "/again");
    const error = await failureOf(client({ maxRedirects: 3 }).send(get(server.url), control()));
    expect(error).toMatchObject({ category: "execution", code: "TOO_MANY_REDIRECTS" });
    expect(server.arrived).toHaveLength(4);
  });

  test("is not followed where none is allowed", async () => {
    const server = await redirecting(() => "/again");
    expect(await kindOf(client({ maxRedirects: 0 }).send(get(server.url), control()))).toBe(
      "execution TOO_MANY_REDIRECTS",
    );
  });

  test("is an answer where nobody wants to follow it", async () => {
    const server = await redirecting(() => "/again");
    const answer = await client().send(get(server.url), control(), { followsRedirect: () => false });
    expect(answer).toMatchObject({ status: 302, headers: { location: "/again" } });
    answer.discard();
  });

  test.each(["file:///etc/passwd", "data:text/plain,hi", "http://", "http://[", "javascript:alert(1)", ""])(
    "to %j is an answer",
    async (location) => {
      const server = await httpServer((_arrived, response) => response.writeHead(302, { location }).end("stay"));
      const given = client({ maxRedirects: 2 }).send(get(server.url), control());
      if (location === "") expect(await kindOf(given)).toBe("execution TOO_MANY_REDIRECTS");
      else expect(text(await (await given).bytes())).toBe("stay");
    },
  );

  test.each([300, 304, 302, 201])("with %i and no location, or none that counts, is an answer", async (status) => {
    const headers = status === 201 ? { location: "/new" } : {};
    const server = await httpServer((_arrived, response) => response.writeHead(status, headers).end());
    const answer = await client().send(get(server.url), control());
    expect(answer.status).toBe(status);
    answer.discard();
  });

  test("with a user name in its address sends none", async () => {
    const server = await redirecting((path) =>
      path === "/" ? `http://user:pass@127.0.0.1:${server.port}/in` : undefined,
    );
    const answer = await client().send(get(server.url), control());
    expect(answer.url).toBe(`${server.url}/in`);
    expect(server.arrived[1]?.headers.authorization).toBeUndefined();
    answer.discard();
  });

  test("in UTF-8 goes where it says", async () => {
    const utf8 = Buffer.from("/gr\u00fcn").toString("latin1");
    const server = await redirecting((path) => (path === "/" ? utf8 : undefined));
    (await client().send(get(server.url), control())).discard();
    expect(server.arrived[1]?.path).toBe("/gr%C3%BCn");
  });

  test("to a private address is refused as a request is", async () => {
    const inner = await httpServer((_arrived, response) => response.end("secret metadata"));
    const server = await redirecting(() => inner.url);
    const mayReach = addressRule({ allowPrivate: false, named: [server.url] });
    expect(await kindOf(client({ mayReach }).send(get(server.url), control()))).toBe("authorization ADDRESS_REFUSED");
    expect(inner.connections).toBe(0);
  });

  test("whose body never ends leaves no connection", async () => {
    const server = await httpServer(({ path }, response) => {
      if (path === "/new") response.end("here");
      else response.writeHead(302, { location: "/new" }).write("x".repeat(100));
    });
    const answer = await client().send(get(server.url), control());
    expect(text(await answer.bytes())).toBe("here");
    expect(server.sockets.size).toBe(1);
  });
});

function redirecting(locationOf: (path: string) => string | undefined, status = 302): Promise<HttpTestServer> {
  return httpServer(({ path }, response) => {
    const location = locationOf(path);
    if (location === undefined) response.end("here");
    else response.writeHead(status, { location, "content-length": 3 }).end(Buffer.from("no!"));
  });
}
