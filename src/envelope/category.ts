/** What one kind of failure is called in each format. */
export interface CategoryFacts {
  readonly code: string;
  readonly status: number;
  readonly jsonRpc: number;
  readonly exitCode: number;
  /** What a helper says; `tool-missing` only with the code `TOOL_MISSING`, because it asks people to install something. */
  readonly helperStatus: "error" | "tool-missing";
  /** The word of response-v2. */
  readonly errorType: string;
  /** The nearest of the nine categories of tool-envelope-v1. */
  readonly envelopeCategory: string;
  readonly emoji: string;
  readonly label: string;
  /** Whether trying again can help, unless the error says otherwise. */
  readonly recoverable: boolean;
}

/** The kinds of failure; a wire may bring others, which are kept as they are. */
export const CATEGORIES = [
  "validation",
  "execution",
  "timeout",
  "model",
  "network",
  "authorization",
  "rate_limit",
  "not_found",
  "internal",
  "authentication",
  "conflict",
  "unavailable",
  "aborted",
] as const;

export type KnownCategory = (typeof CATEGORIES)[number];

export type Category = KnownCategory | (string & {});

// biome-ignore format: a table is read by its columns
export const CATEGORY_FACTS: Readonly<Record<KnownCategory, CategoryFacts>> = {
  validation:     row("VALIDATION_ERROR", 400, -32602,   2, "error",        "validation",     "validation",    "❌", "Validation error",     true),
  execution:      row("EXECUTION_ERROR",  500, -31500,   1, "error",        "internal",       "execution",     "⚠️", "Execution error",      false),
  timeout:        row("TIMEOUT",          504, -31504, 124, "error",        "unavailable",    "timeout",       "⏱", "Timeout",              true),
  model:          row("MODEL_ERROR",      502, -31520,  71, "error",        "ai_provider",    "model",         "🤖", "Model error",          true),
  network:        row("UNAVAILABLE",      502, -31502,  68, "error",        "unavailable",    "network",       "🌐", "Network error",        true),
  authorization:  row("ACCESS_DENIED",    403, -31403,  77, "error",        "authorization",  "authorization", "🔒", "Authorization error",  false),
  rate_limit:     row("RATE_LIMITED",     429, -31429,  75, "error",        "rate_limit",     "rate_limit",    "🚦", "Rate limit",           true),
  not_found:      row("NOT_FOUND",        404, -32601,  66, "error",        "not_found",      "not_found",     "🔍", "Not found",            false),
  internal:       row("UNKNOWN_ERROR",    500, -32603,  70, "error",        "internal",       "internal",      "💥", "Internal error",       false),
  authentication: row("ACCESS_DENIED",    401, -31401,  67, "error",        "authentication", "authorization", "🔑", "Authentication error", false),
  conflict:       row("CONFLICT",         409, -31409,  73, "error",        "conflict",       "execution",     "⚔️", "Conflict",             false),
  unavailable:    row("UNAVAILABLE",      503, -31503,  69, "tool-missing", "unavailable",    "network",       "🔌", "Unavailable",          true),
  aborted:        row("ABORTED",          499, -31499, 130, "error",        "unavailable",    "execution",     "🛑", "Aborted",              false),
};

export function isKnownCategory(category: unknown): category is KnownCategory {
  return typeof category === "string" && Object.hasOwn(CATEGORY_FACTS, category);
}

/** The facts of a category; one we do not know is treated as an execution error with its own words. */
export function categoryFacts(category: Category): CategoryFacts {
  if (isKnownCategory(category)) return CATEGORY_FACTS[category];
  return { ...CATEGORY_FACTS.execution, errorType: category, envelopeCategory: category, label: `${category} error` };
}

const BY_JSON_RPC = invert((facts) => facts.jsonRpc);
const BY_EXIT_CODE = invert((facts) => facts.exitCode);
// One word of a wire may stand for several categories; coming back it means the plainest of them.
const BY_ERROR_TYPE = invert((facts) => facts.errorType, ["unavailable", "internal"]);
const BY_STATUS = invert((facts) => facts.status, ["internal", "network"]);
const BY_CODE = invert((facts) => facts.code, ["authorization", "unavailable"]);

/** Codes that are no category's own word but tell the category all the same. */
const CATEGORY_OF_CODE: Readonly<Record<string, KnownCategory>> = {
  OPERATION_NOT_FOUND: "not_found",
  PAYLOAD_TOO_LARGE: "validation",
  SOURCES_SKIPPED: "execution",
  TOOL_ERROR: "execution",
  TOOL_MISSING: "unavailable",
};

/** Words inside a foreign code that tell its category; the first that is found decides. */
const CATEGORY_OF_WORD: readonly (readonly [RegExp, KnownCategory])[] = [
  [/(^|_)(VALIDATION|INVALID|BAD_REQUEST)(_|$)/, "validation"],
  [/(^|_)(UNAUTHENTICATED|AUTHENTICATION|UNAUTHORIZED)(_|$)/, "authentication"],
  [/(^|_)(FORBIDDEN|PERMISSION|AUTHORIZATION|ACCESS_DENIED)(_|$)/, "authorization"],
  [/(^|_)(RATE_LIMIT|RATE_LIMITED|TOO_MANY_REQUESTS)(_|$)/, "rate_limit"],
  [/(^|_)NOT_FOUND(_|$)/, "not_found"],
  [/(^|_)(TIMEOUT|TIMED_OUT|ETIMEDOUT|DEADLINE_EXCEEDED)(_|$)/, "timeout"],
  [/(^|_)(CONFLICT|ALREADY_EXISTS)(_|$)/, "conflict"],
  [/(^|_)UNAVAILABLE(_|$)/, "unavailable"],
  [/(^|_)(NETWORK|ECONNREFUSED|ECONNRESET|ENOTFOUND)(_|$)/, "network"],
  [/(^|_)(ABORTED|CANCELLED|CANCELED)(_|$)/, "aborted"],
];

/** The category that a code tells, if it tells one. */
export function categoryFromCode(code: string): KnownCategory | undefined {
  if (Object.hasOwn(CATEGORY_OF_CODE, code)) return CATEGORY_OF_CODE[code];
  const words = code.toUpperCase().replaceAll(/[-.: ]/g, "_");
  return BY_CODE.get(code) ?? CATEGORY_OF_WORD.find(([word]) => word.test(words))?.[1];
}

export function categoryFromErrorType(errorType: string): Category {
  return BY_ERROR_TYPE.get(errorType) ?? errorType;
}

export function categoryFromStatus(status: number): KnownCategory {
  const exact = BY_STATUS.get(status);
  if (exact !== undefined) return exact;
  if (status === 408) return "timeout";
  if (status === 410) return "not_found";
  if (status === 412) return "conflict";
  return status >= 400 && status < 500 ? "validation" : "internal";
}

export function categoryFromJsonRpc(code: number): KnownCategory {
  if (code === -32700 || code === -32600) return "validation";
  return BY_JSON_RPC.get(code) ?? "execution";
}

export function categoryFromExitCode(exitCode: number): KnownCategory {
  return BY_EXIT_CODE.get(exitCode) ?? "execution";
}

function row(
  code: string,
  status: number,
  jsonRpc: number,
  exitCode: number,
  helperStatus: CategoryFacts["helperStatus"],
  errorType: string,
  envelopeCategory: string,
  emoji: string,
  label: string,
  recoverable: boolean,
): CategoryFacts {
  return { code, status, jsonRpc, exitCode, helperStatus, errorType, envelopeCategory, emoji, label, recoverable };
}

/** Value of a column → category. Where several share a value, `preferred` names the winners. */
function invert<K>(
  column: (facts: CategoryFacts) => K,
  preferred: readonly KnownCategory[] = [],
): ReadonlyMap<K, KnownCategory> {
  const ordered = [...CATEGORIES.filter((category) => !preferred.includes(category)), ...preferred];
  return new Map(ordered.map((category) => [column(CATEGORY_FACTS[category]), category]));
}
