import { join } from "node:path";
import { test } from "vitest";
import { openapiSource } from "../src/sources/openapi/index.js";
import { OperationRegistry } from "../src/registry/registry.js";
import { mountSource } from "../src/registry/source.js";
import { Toolbox } from "../src/servers/mcp/toolbox.js";
import { corpus } from "./openapi-documents.js";
test("t", async () => {
  for (const f of ["apisguru-slack.yaml","apisguru-bitbucket.yaml","apisguru-gitlab-v3.swagger.yaml","apisguru-stripe-2022-11-15.yaml","openai.yaml","apisguru-box.yaml"]) {
    const t = performance.now();
    const s = await openapiSource({ name: "api", file: join(corpus, f), baseUrl: "http://127.0.0.1:9" });
    const t1 = performance.now();
    const r = new OperationRegistry(); mountSource(r, s);
    const n = JSON.stringify(new Toolbox({ registry: r }).list(undefined)).length;
    console.log(f, r.list().length, n, Math.round(t1 - t), Math.round(performance.now() - t1));
    await s.close();
  }
}, 100000);
