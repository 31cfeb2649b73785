/** Whether a name fits: a text is the whole name, with `*` for anything; an expression is looked for in it. */
export function nameTest(pattern: string | RegExp): (name: string) => boolean {
  if (typeof pattern === "string") {
    const parts = pattern.split("*");
    return (name) => matches(name, parts);
  }
  // Flags that make an expression remember its last match are dropped.
  const stateless = new RegExp(pattern.source, pattern.flags.replaceAll(/[gy]/g, ""));
  return (name) => stateless.test(name);
}

/** Whether a name consists of these parts, in their order, with anything between. */
function matches(name: string, [first = "", ...rest]: readonly string[]): boolean {
  const last = rest.pop();
  if (last === undefined) return name === first;
  if (!name.startsWith(first) || name.length < first.length + last.length || !name.endsWith(last)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= name.length - last.length;
}
