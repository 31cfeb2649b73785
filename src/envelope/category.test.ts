import { describe, expect, test } from "vitest";
import {
  CATEGORIES,
  CATEGORY_FACTS,
  type CategoryFacts,
  categoryFacts,
  categoryFromCode,
  categoryFromErrorType,
  categoryFromExitCode,
  categoryFromJsonRpc,
  categoryFromStatus,
  isKnownCategory,
  type KnownCategory,
} from "./category.js";
import { MCP_ERROR_CATEGORIES } from "./payload.js";

/** The categories that share a value of a column, by this value. */
function shared(column: keyof CategoryFacts): Record<string, KnownCategory[]> {
  const groups: Record<string, KnownCategory[]> = {};
  for (const category of CATEGORIES) {
    const value = String(CATEGORY_FACTS[category][column]);
    groups[value] = [...(groups[value] ?? []), category];
  }
  return Object.fromEntries(Object.entries(groups).filter(([, categories]) => categories.length > 1));
}

describe("the table of categories", () => {
  test("has a row for each category and no other", () => {
    expect(Object.keys(CATEGORY_FACTS).sort()).toEqual([...CATEGORIES].sort());
  });

  // The table "Between dialects" of the notes on the specs.
  test.each([
    ["validation", "validation", "validation", 400, "VALIDATION_ERROR"],
    ["authentication", "authorization", "authentication", 401, "ACCESS_DENIED"],
    ["authorization", "authorization", "authorization", 403, "ACCESS_DENIED"],
    ["not_found", "not_found", "not_found", 404, "NOT_FOUND"],
    ["conflict", "execution", "conflict", 409, "CONFLICT"],
    ["rate_limit", "rate_limit", "rate_limit", 429, "RATE_LIMITED"],
    ["timeout", "timeout", "unavailable", 504, "TIMEOUT"],
    ["network", "network", "unavailable", 502, "UNAVAILABLE"],
    ["unavailable", "network", "unavailable", 503, "UNAVAILABLE"],
    ["model", "model", "ai_provider", 502, "MODEL_ERROR"],
    ["aborted", "execution", "unavailable", 499, "ABORTED"],
    ["execution", "execution", "internal", 500, "EXECUTION_ERROR"],
    ["internal", "internal", "internal", 500, "UNKNOWN_ERROR"],
  ] as const)("says of %s what the specs say", (category, envelopeCategory, errorType, status, code) => {
    expect(CATEGORY_FACTS[category]).toMatchObject({ envelopeCategory, errorType, status, code });
  });

  test("gives the nine categories of tool-envelope-v1 their own names and signs", () => {
    const signs = MCP_ERROR_CATEGORIES.map((category) => CATEGORY_FACTS[category].emoji);
    expect(signs).toEqual(["❌", "⚠️", "⏱", "🤖", "🌐", "🔒", "🚦", "🔍", "💥"]);
    for (const category of MCP_ERROR_CATEGORIES) expect(CATEGORY_FACTS[category].envelopeCategory).toBe(category);
  });

  test("uses only words that tool-envelope-v1 and response-v2 have", () => {
    const types =
      "validation authentication authorization not_found conflict rate_limit feature_flag internal unavailable ai_provider";
    for (const category of CATEGORIES) {
      expect(MCP_ERROR_CATEGORIES).toContain(CATEGORY_FACTS[category].envelopeCategory);
      expect(types.split(" ")).toContain(CATEGORY_FACTS[category].errorType);
    }
  });

  test("has statuses of HTTP errors and exit codes that a shell can tell from success", () => {
    for (const category of CATEGORIES) {
      const { status, exitCode } = CATEGORY_FACTS[category];
      expect(status >= 400 && status <= 599, category).toBe(true);
      expect(exitCode >= 1 && exitCode <= 255, category).toBe(true);
    }
  });

  test("asks people to install something only where a thing is unavailable", () => {
    expect(CATEGORIES.filter((category) => CATEGORY_FACTS[category].helperStatus === "tool-missing")).toEqual([
      "unavailable",
    ]);
  });
});

describe("the inverses of the table", () => {
  test.each(["jsonRpc", "exitCode", "emoji", "label"] as const)("%s belongs to one category only", (column) => {
    expect(shared(column)).toEqual({});
  });

  test("a JSON-RPC code and an exit code tell the category that wrote them", () => {
    for (const category of CATEGORIES) {
      expect(categoryFromJsonRpc(CATEGORY_FACTS[category].jsonRpc)).toBe(category);
      expect(categoryFromExitCode(CATEGORY_FACTS[category].exitCode)).toBe(category);
    }
  });

  test("a status stands for two categories twice, and then means the plainer", () => {
    expect(shared("status")).toEqual({ 500: ["execution", "internal"], 502: ["model", "network"] });
    expect([categoryFromStatus(500), categoryFromStatus(502)]).toEqual(["internal", "network"]);
  });

  test("a code stands for two categories twice, and then means the plainer", () => {
    expect(shared("code")).toEqual({
      ACCESS_DENIED: ["authorization", "authentication"],
      UNAVAILABLE: ["network", "unavailable"],
    });
    expect([categoryFromCode("ACCESS_DENIED"), categoryFromCode("UNAVAILABLE")]).toEqual([
      "authorization",
      "unavailable",
    ]);
  });

  test("a word of response-v2 stands for several categories twice, and then means the plainest", () => {
    expect(shared("errorType")).toEqual({
      internal: ["execution", "internal"],
      unavailable: ["timeout", "network", "unavailable", "aborted"],
    });
    expect([categoryFromErrorType("internal"), categoryFromErrorType("unavailable")]).toEqual([
      "internal",
      "unavailable",
    ]);
  });

  test.each([
    ["status", (facts: CategoryFacts) => categoryFromStatus(facts.status)],
    ["code", (facts: CategoryFacts) => categoryFromCode(facts.code)],
    ["errorType", (facts: CategoryFacts) => categoryFromErrorType(facts.errorType)],
  ] as const)("%s tells every category that shares it with none, and else one of those that do", (column, inverse) => {
    for (const category of CATEGORIES) {
      const facts = CATEGORY_FACTS[category];
      expect(shared(column)[String(facts[column])] ?? [category]).toContain(inverse(facts));
    }
  });
});

describe("categoryFromStatus", () => {
  test.each([
    [408, "timeout"],
    [410, "not_found"],
    [412, "conflict"],
    [413, "validation"],
    [418, "validation"],
    [422, "validation"],
    [451, "validation"],
    [501, "internal"],
    [505, "internal"],
    [507, "internal"],
    [599, "internal"],
  ] as const)("takes %i for %s", (status, category) => {
    expect(categoryFromStatus(status)).toBe(category);
  });

  test.each([0, 200, 302, 600, -1, Number.NaN])("takes %d, which is no status of an error, for internal", (status) => {
    expect(categoryFromStatus(status)).toBe("internal");
  });
});

describe("categoryFromJsonRpc", () => {
  test.each([
    [-32700, "validation"],
    [-32600, "validation"],
    [-32601, "not_found"],
    [-32602, "validation"],
    [-32603, "internal"],
    [-32000, "execution"],
    [0, "execution"],
    [1, "execution"],
  ] as const)("takes %i for %s", (code, category) => {
    expect(categoryFromJsonRpc(code)).toBe(category);
  });
});

describe("categoryFromExitCode", () => {
  test.each([
    [1, "execution"],
    [2, "validation"],
    [124, "timeout"],
    [130, "aborted"],
    [3, "execution"],
    [255, "execution"],
  ] as const)("takes %i for %s", (exitCode, category) => {
    expect(categoryFromExitCode(exitCode)).toBe(category);
  });
});

describe("categoryFromCode", () => {
  test.each([
    ["OPERATION_NOT_FOUND", "not_found"],
    ["ACCESS_DENIED", "authorization"],
    ["VALIDATION_ERROR", "validation"],
    ["TIMEOUT", "timeout"],
    ["ABORTED", "aborted"],
    ["EXECUTION_ERROR", "execution"],
    ["UNKNOWN_ERROR", "internal"],
    ["RATE_LIMITED", "rate_limit"],
    ["UNAVAILABLE", "unavailable"],
    ["TOOL_MISSING", "unavailable"],
    ["PAYLOAD_TOO_LARGE", "validation"],
    ["TOOL_ERROR", "execution"],
    ["SOURCES_SKIPPED", "execution"],
  ] as const)("knows %s, a code of our own, as %s", (code, category) => {
    expect(categoryFromCode(code)).toBe(category);
  });

  test.each([
    ["E_ROW_NOT_FOUND", "not_found"],
    ["NOT_FOUND_ROW", "not_found"],
    ["row_not_found", "not_found"],
    ["TOOL_VALIDATION_F6511EDE", "validation"],
    ["ERR_INVALID_ARG", "validation"],
    ["BAD_REQUEST", "validation"],
    ["UNAUTHENTICATED", "authentication"],
    ["UNAUTHORIZED", "authentication"],
    ["FORBIDDEN", "authorization"],
    ["PERMISSION_DENIED", "authorization"],
    ["USER_ACCESS_DENIED", "authorization"],
    ["GITHUB_RATE_LIMIT", "rate_limit"],
    ["TOO_MANY_REQUESTS", "rate_limit"],
    ["GATEWAY_TIMEOUT", "timeout"],
    ["DEADLINE_EXCEEDED", "timeout"],
    ["VERSION_CONFLICT", "conflict"],
    ["ALREADY_EXISTS", "conflict"],
    ["SERVICE_UNAVAILABLE", "unavailable"],
    ["CANCELLED", "aborted"],
    ["REQUEST_CANCELED", "aborted"],
  ] as const)("finds in %s the word for %s", (code, category) => {
    expect(categoryFromCode(code)).toBe(category);
  });

  test.each([
    "",
    "E42",
    "ERR_INPUT_SCHEMA",
    "INVALIDATED",
    "NOT_FOUNDRY",
    "TIMEOUTS",
    "__proto__",
    "constructor",
    "toString",
  ])("finds no category in %j", (code) => {
    expect(categoryFromCode(code)).toBeUndefined();
  });

  test("lets the first word of its list decide where there are two", () => {
    expect(categoryFromCode("TIMEOUT_INVALID")).toBe("validation");
  });
});

describe("a category nobody knows", () => {
  test.each(["quantum", "feature_flag", "__proto__", "toString", ""])("%j is kept under its own name", (category) => {
    expect(isKnownCategory(category)).toBe(false);
    expect(categoryFromErrorType(category)).toBe(category);
    expect(categoryFacts(category)).toMatchObject({ errorType: category, envelopeCategory: category });
  });

  test("is treated as an execution error", () => {
    const { status, code, jsonRpc, exitCode, recoverable } = CATEGORY_FACTS.execution;
    expect(categoryFacts("quantum")).toMatchObject({ status, code, jsonRpc, exitCode, recoverable });
  });

  test("leaves the table as it is", () => {
    const before = structuredClone(CATEGORY_FACTS);
    categoryFacts("quantum");
    expect(CATEGORY_FACTS).toEqual(before);
  });
});

describe("isKnownCategory", () => {
  test("knows every category and nothing that is no text", () => {
    expect(CATEGORIES.every(isKnownCategory)).toBe(true);
    expect([undefined, null, 0, ["timeout"], { category: "timeout" }, "TIMEOUT"].some(isKnownCategory)).toBe(false);
  });
});
