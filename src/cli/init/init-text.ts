import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { McpConfig } from "../../gateway/config/config.js";

/** The text of a `plico.json` with these sources. */
export function configText(sources: Readonly<Record<string, McpConfig>>, folder: string): string {
  const lines = Object.entries(sources).map(([name, config]) => `    ${JSON.stringify(name)}: ${sourceText(config)}`);
  return `{\n  "$schema": ${JSON.stringify(schemaPath(folder))},\n  "sources": {\n${lines.join(",\n")}\n  }\n}\n`;
}

const WIDTH = 100;

/** On one line where it fits. */
function sourceText(config: unknown): string {
  const line = inline(config);
  if (line.length <= WIDTH) return line;
  const fields = Object.entries(config as object).map(
    ([name, value]) => `      ${JSON.stringify(name)}: ${inline(value)}`,
  );
  return `{\n${fields.join(",\n")}\n    }`;
}

function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, field]) => `${JSON.stringify(name)}: ${inline(field)}`);
  return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`;
}

/** For editors: the schema of the package that is installed nearest. */
function schemaPath(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    const file = join(at, "node_modules", "plico", "plico.schema.json");
    if (existsSync(file)) {
      const way = relative(folder, file).replaceAll("\\", "/");
      return way.startsWith(".") ? way : `./${way}`;
    }
    if (dirname(at) === at) return "./node_modules/plico/plico.schema.json";
  }
}

/** What is written where there is nothing to begin with: it works as it is. */
export function starterText(folder: string): string {
  return `{
  "$schema": ${JSON.stringify(schemaPath(folder))},
  // Where operations come from. The name of a source is the first part of the names of its operations.
  "sources": {
    // A program that runs once a call: plico call hello.greet name=Ada
    "hello": {
      "script": ["node", "-e", "process.stdout.write('Hello, ' + process.argv[1] + '!')"],
      "operation": "greet",
      "description": "Greets somebody.",
      "type": "query",
      "inputSchema": {
        "type": "object",
        "properties": { "name": { "type": "string", "description": "Who is greeted" } },
        "required": ["name"]
      },
      "flags": { "name": "--" },
      "outputAs": "text"
    }
    // An MCP server, started or remote; an HTTP API; a module of your own:
    // "files": { "mcp": ["npx", "-y", "@modelcontextprotocol/server-filesystem", "."] },
    // "remote": { "mcp": "https://example.com/mcp", "headers": { "authorization": "Bearer \${TOKEN}" } },
    // "pets": { "openapi": "./petstore.yaml", "baseUrl": "http://127.0.0.1:8080" },
    // "math": { "module": "./math.ts" }
  }
}
`;
}
