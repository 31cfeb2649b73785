import { describe, expect, test } from "vitest";
import { describeOperation } from "./describe-operation.js";
import { described, documentOf, documentWith, onlyOperation } from "./fixtures/documents.js";

const at = (...urls: string[]): object[] => urls.map((url) => ({ url }));

describe("the servers of an operation", () => {
  test("are its own, else those of its path, else those of the document", () => {
    const [servers, item, root] = [
      at("/own"),
      { servers: at("/path") },
      { servers: at("https://a.test/v1", "https://b.test") },
    ];
    expect(described({ servers }, { item, root }).servers).toEqual(["/own"]);
    expect(described({}, { item, root }).servers).toEqual(["/path"]);
    expect(described({}, { root }).servers).toEqual(["https://a.test/v1", "https://b.test"]);
    expect(described({ servers: [] }, { root }).servers).toEqual(["https://a.test/v1", "https://b.test"]);
    expect(described({}).servers).toEqual(["/"]);
  });

  test("have their variables filled in: by the caller, by default, by the first choice", () => {
    const variables = { region: { default: "eu" }, port: { default: 8443 }, version: { enum: ["v2", "v1"] }, odd: 5 };
    const root = { servers: [{ url: "https://{region}.a.test:{port}/{version}/{odd}/{none}", variables }] };
    const document = documentWith({}, { root });
    const { servers, warnings } = describeOperation(document, onlyOperation(document), {
      variables: { region: "us", odd: "x" },
    });
    expect(servers).toEqual(["https://us.a.test:8443/v2/x/{none}"]);
    expect(warnings).toHaveLength(1);
  });

  test("that are broken are left out with a warning", () => {
    const { servers, warnings } = described(
      { servers: [null, { url: 5 }, "https://x.test"] },
      { root: { servers: at("/ok") } },
    );
    expect(servers).toEqual(["/ok"]);
    expect(warnings).toHaveLength(3);
    expect(described({ servers: "x" })).toMatchObject({ servers: ["/"], warnings: [{}] });
  });

  test.each([
    [{ host: "a.test", basePath: "/v1", schemes: ["http", "https"] }, ["https://a.test/v1", "http://a.test/v1"]],
    [{ host: "a.test:81", schemes: ["http", "ws"] }, ["http://a.test:81"]],
    [{ host: "a.test", basePath: "v1/" }, ["https://a.test/v1/"]],
    [{ host: "http://a.test/" }, ["http://a.test"]],
    [{ basePath: "/v1" }, ["/v1"]],
    [{}, ["/"]],
    [{ host: 5, basePath: [], schemes: "http" }, ["/"]],
  ])("of 2.0 with %j are %j", (root, servers) => {
    expect(described({}, { version: "2.0", root }).servers).toEqual(servers);
  });

  test("of 2.0 may have schemes of the operation, or those of the document's own address", () => {
    const root = { host: "a.test", schemes: ["https"] };
    expect(described({ schemes: ["http"] }, { version: "2.0", root }).servers).toEqual(["http://a.test"]);
    const document = documentOf({ swagger: "2.0", host: "a.test", paths: { "/a": { get: {} } } }, { "x.json": {} });
    expect(describeOperation(document, onlyOperation(document)).servers).toEqual(["https://a.test"]);
  });
});
