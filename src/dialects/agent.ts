/** Environment variables that tell which agent runs a helper; the first that is set decides. */
const AGENTS: readonly (readonly [variable: string, agent: string])[] = [
  ["CODEX_PROFILE", "codex"],
  ["GEMINI_PROFILE", "gemini"],
  ["CLAUDECODE", "claude"],
  ["CLAUDE_CODE_ENTRYPOINT", "claude"],
  ["CLAUDE_PROJECT_DIR", "claude"],
];

/** The variables that `detectAgent` looks at. */
export const AGENT_VARIABLES: readonly string[] = AGENTS.map(([variable]) => variable);

/** The agent that an environment speaks of, or `unknown`. */
export function detectAgent(env: Readonly<Record<string, string | undefined>>): string {
  const found = AGENTS.find(([variable]) => env[variable] !== undefined && env[variable] !== "");
  return found?.[1] ?? "unknown";
}
