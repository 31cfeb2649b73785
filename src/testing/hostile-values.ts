/** Values made to break whoever looks at them carelessly. None is a document of any dialect. */
export function hostileValues(): unknown[] {
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  return [
    undefined,
    null,
    0,
    "",
    "__ENVELOPE_V",
    Number.NaN,
    10n,
    Symbol("plico"),
    () => ({ data: 1, meta: { source: "local" } }),
    [],
    {},
    Object.create(null),
    new Map([["content", []]]),
    new Date(0),
    JSON.parse('{"__proto__":{"content":[]}}'),
    throwingGetters(),
    new Proxy({}, { get: fail, has: fail, ownKeys: fail, getOwnPropertyDescriptor: fail }),
    revoked.proxy,
    deep(10_000),
    cyclic(),
  ];
}

function throwingGetters(): object {
  const names = [
    "content",
    "data",
    "meta",
    "schema_version",
    "status",
    "success",
    "structuredContent",
    "title",
    "type",
  ];
  const getters = names.map((name) => [name, { get: fail, enumerable: true }]);
  return Object.defineProperties({}, Object.fromEntries(getters));
}

function fail(): never {
  throw new Error("do not touch");
}

function deep(levels: number): unknown {
  let value: unknown = {};
  for (let level = 0; level < levels; level++) value = { inner: value };
  return value;
}

function cyclic(): unknown {
  const value: Record<string, unknown> = {};
  value["self"] = value;
  return value;
}
