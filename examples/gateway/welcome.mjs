/** What a gateway serves and how to use it, for people. */
export async function welcome(url) {
  const [health, { operations }] = await Promise.all([json(`${url}/healthz`), json(`${url}/operations`)]);
  const width = process.stdout.columns ?? 100;
  return [
    "",
    ...table(health.sources, operations).map((line) => cut(line, width)),
    "",
    `  MCP       ${url}/mcp`,
    `  HTTP      ${url}/operations`,
    `  OpenAPI   ${url}/openapi.json`,
    `  Health    ${url}/healthz`,
    "",
    "Try it in another terminal, in this folder:",
    "",
    ...commands(url).map((command) => `  ${command}`),
    "",
    "Ctrl-C ends it.",
  ].join("\n");
}

/** They ask the gateway in three ways: an HTTP client, an MCP client, and a client of its OpenAPI document. */
function commands(url) {
  return [
    `npx plico ls --mcp ${url}/mcp`,
    `npx plico call pets.adopt petId=1 --openapi ${url}/openapi.json`,
    `curl -s ${url}/operations/todos.add -d '{"text":"Try Plico"}'`,
  ];
}

function table(sources, operations) {
  const rows = sources.flatMap(({ name, kind, status, error }) => {
    const own = operations.filter(({ id }) => id.startsWith(`${name}.`));
    if (own.length === 0) return [[name, kind, status, error?.message ?? ""]];
    return own.map(({ id, type, description }, at) => [
      at === 0 ? name : "",
      at === 0 ? kind : "",
      id,
      type,
      description.split("\n", 1)[0],
    ]);
  });
  const all = [["SOURCE", "KIND", "OPERATION", "TYPE", "DESCRIPTION"], ...rows];
  const widths = all[0].map((_, column) => Math.max(...all.map((row) => (row[column] ?? "").length)));
  return all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]))
      .join("  ")
      .trimEnd(),
  );
}

function cut(line, width) {
  return line.length > width ? `${line.slice(0, width - 1)}…` : line;
}

async function json(url) {
  return (await fetch(url)).json();
}
