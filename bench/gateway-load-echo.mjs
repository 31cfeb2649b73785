// What all sources of bench/gateway.mjs do: they give back what they were given.
export const string = { type: "string" };
const integer = { type: "integer" };

export const inputSchema = {
  type: "object",
  properties: { token: string, n: integer, text: string },
  required: ["token", "n", "text"],
};

export const outputSchema = {
  type: "object",
  properties: { token: string, twice: integer, text: string, from: string },
  required: ["token", "twice", "text", "from"],
};

/** Also a number that only the right input leads to. */
export const answerFrom = (from, { token, n, text }) => ({ token, twice: 2 * n, text, from });
