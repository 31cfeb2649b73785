// Someone else's MCP server as operations: started, called, ended.
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { mountSource, OperationRegistry } from "plico";
import { mcpSource } from "plico/sources/mcp";

// 1. The server is started without a shell; a URL would be `url: "https://…/mcp"`.
const weather = fileURLToPath(new URL("servers/weather.mjs", import.meta.url));
const source = await mcpSource({ name: "weather", command: [process.execPath, weather] });
console.log(source.health().status, source.health().protocolVersion); // ready 2026-07-28

// 2. Its tools are operations like any other, and follow the server when its list changes.
const registry = new OperationRegistry();
mountSource(registry, source);
assert.deepEqual(
  registry.list().map(({ name, type }) => [name, type]),
  [
    ["current", "query"],
    ["history", "mutation"],
  ],
);

// 3. Structured content is the data. All that the server sent is in `meta`.
const { data, meta } = await registry.execute("weather.current", { city: "Bergen" });
assert.deepEqual(data, { celsius: 7, sky: "rain" });
assert.equal(meta.source, "mcp");

// 4. JSON in the text of a tool that declares nothing is data too.
const history = await registry.execute("weather.history", { city: "Bergen" });
assert.equal(history.data[0].celsius, 9);

// 5. What a tool itself calls an error is an envelope with `isError`; `attempt` gives it as a failure.
const { meta: failed } = await registry.execute("weather.current", { city: "Atlantis" });
assert.equal(failed.isError, true);
const outcome = await registry.attempt("weather.current", { city: "Atlantis" });
assert.equal(outcome.error.code, "TOOL_ERROR");
assert.equal(outcome.error.message, "No station in Atlantis");

// 6. Bad input never leaves the process.
const refused = await registry.attempt("weather.current", { city: 7 });
assert.equal(refused.error.issues[0].path, "/city");

// 7. The process of the server, and all that it has started, end with the source.
await source.close();
console.log("closed");
