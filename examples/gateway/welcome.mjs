/** What a gateway serves, and what to try, for people. */
export async function welcome(url) {
  const [{ sources }, { operations }] = await Promise.all([json(`${url}/healthz`), json(`${url}/operations`)]);
  const { columns = 0 } = process.stdout;
  const width = columns > 0 ? columns : 100;
  return [
    ...table(sources.flatMap((source) => rowsOf(source, operations))).map((line) => cut(line, width)),
    "",
    "Try in another terminal, in this folder:",
    "",
    // A module over HTTP, an HTTP API over MCP, and an MCP server whose progress comes through.
    `  curl -X POST ${url}/operations/todos.list`,
    `  npx plico call pets_list tag=cat --mcp ${url}/mcp`,
    `  npx plico call everything_trigger-long-running-operation duration=3 --mcp ${url}/mcp`,
    "",
  ].join("\n");
}

/** A source that is not up has one row, which says why. */
function rowsOf({ name, kind, status, error }, operations) {
  const own = operations.filter(({ id }) => id.startsWith(`${name}.`));
  if (own.length === 0) return [[kind, name, status, error?.message ?? ""]];
  return own.map(({ id, type, description }) => [kind, id, type, description.split("\n", 1)[0]]);
}

function table(rows) {
  const all = [["KIND", "OPERATION", "TYPE", "DESCRIPTION"], ...rows];
  const widths = all[0].map((_, column) => Math.max(...all.map((row) => row[column].length)));
  const printed = (row) => row.map((cell, column) => cell.padEnd(widths[column])).join("  ");
  return all.map((row) => printed(row).trimEnd());
}

function cut(line, width) {
  return line.length > width ? `${line.slice(0, width - 1)}…` : line;
}

async function json(url) {
  return (await fetch(url)).json();
}
