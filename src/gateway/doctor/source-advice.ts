import type { CallErrorData } from "../../envelope/call-error.js";
import type { SourceConfig } from "../config/config.js";

/** Where programs come from that MCP servers are often started with. */
const PROGRAMS: Readonly<Record<string, string>> = {
  npx: "Install Node.js with npm: https://nodejs.org",
  node: "Install Node.js: https://nodejs.org",
  npm: "Install Node.js with npm: https://nodejs.org",
  bunx: "Install Bun: https://bun.sh",
  uvx: "Install uv: https://docs.astral.sh/uv",
  uv: "Install uv: https://docs.astral.sh/uv",
  pipx: "Install pipx: https://pipx.pypa.io",
  python: "Install Python, or name python3: many systems have only that",
  docker: "Install Docker, and start it: https://docs.docker.com/get-docker",
  deno: "Install Deno: https://deno.com",
};

interface Advice {
  readonly when: RegExp;
  readonly fix: string;
}

/** By what the error says, the first that fits. */
const BY_WORDS: readonly Advice[] = [
  {
    when: /certificate|self[- ]signed|SSL|\bTLS\b|ERR_TLS/i,
    fix: "Let Node trust the certificate: NODE_EXTRA_CA_CERTS=FILE, or Node's --use-system-ca.",
  },
  { when: /ENOTFOUND|EAI_AGAIN|getaddrinfo/i, fix: "Look at the name of the host, and at your connection." },
  { when: /ECONNREFUSED|refused the connection|connection refused/i, fix: "Start the server, or correct the port." },
  { when: /\b404\b/, fix: "Correct the path of the address; MCP servers often have /mcp or /sse at its end." },
];

const BY_CATEGORY: Readonly<Record<string, string>> = {
  authentication: `Give "headers": { "authorization": "Bearer \${NAME}" } or "token", and set the variable.`,
  authorization: "Use a token that may do this.",
  network: "Start the server, or correct its address.",
  unavailable: "Start the server, or correct its address or command.",
  timeout: 'Try its command by hand; where it only needs longer, give the source "startTimeout" in milliseconds.',
};

/** What to do about a source that does not open. */
export function adviceFor(
  { category, code, message, suggestedAction }: CallErrorData,
  config: SourceConfig,
): string | undefined {
  const program = programOf(config);
  if (code === "TOOL_MISSING" && program !== undefined && message.includes(program) && Object.hasOwn(PROGRAMS, program))
    return `${PROGRAMS[program]}; or correct PATH, where it is looked for.`;
  const byWords = BY_WORDS.find(({ when }) => when.test(message))?.fix;
  return suggestedAction ?? byWords ?? (Object.hasOwn(BY_CATEGORY, category) ? BY_CATEGORY[category] : undefined);
}

function programOf(config: SourceConfig): string | undefined {
  const command = "mcp" in config ? config.mcp : "script" in config ? config.script : undefined;
  return Array.isArray(command) ? command[0] : undefined;
}
