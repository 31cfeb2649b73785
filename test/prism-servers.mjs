// Starts one of Prism's servers a document, in one process: `node prism-servers.mjs FOLDER DOCUMENT[=UPSTREAM] …`, where
// FOLDER has the packages. Without an upstream it answers what the document describes; what does not fit it gets 422.
import { createRequire } from "node:module";
import { join } from "node:path";

const [folder = "", ...wanted] = process.argv.slice(2);
const load = createRequire(join(folder, "node_modules/@stoplight/prism-cli/package.json"));
const { createLogger } = load("@stoplight/prism-core");
const { getHttpOperationsFromSpec } = load("@stoplight/prism-http");
const { createServer } = load("@stoplight/prism-http-server");

const logger = createLogger("mocks", { level: "silent" });

async function listen(document, upstream) {
  const shared = { validateRequest: true, validateResponse: true, checkSecurity: true, mock: {} };
  const mock = { isProxy: false, errors: false };
  const config = {
    ...shared,
    ...(upstream === undefined ? mock : { isProxy: true, upstream: new URL(upstream), errors: true }),
  };
  const operations = await getHttpOperationsFromSpec(document);
  return createServer(operations, { cors: false, config, components: { logger } }).listen(0, "127.0.0.1");
}

const addresses = [];
for (const one of wanted) addresses.push(await listen(...one.split("=")));
console.log(`Listening at: ${addresses.join(",")}`);
