import { inspect } from "node:util";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { Compile } from "typebox/schema";
import { describe, expect, test } from "vitest";
import { type ArbitraryOptions, schemasWithValues } from "../../test/schema-arbitrary.js";
import { type CompiledSchema, compile } from "./compile.js";

type Law = (compiled: CompiledSchema, value: unknown, walked: CompiledSchema) => void;

/** Tries a law with every value of many schemas. */
function forAll(law: Law, { numRuns = 150, ...options }: ArbitraryOptions & { numRuns?: number } = {}): void {
  const property = fc.property(schemasWithValues(options), ({ schema, values }) => {
    const compiled = compile(schema, { generate: true });
    const walked = compile(schema, { generate: false });
    for (const value of values) law(compiled, value, walked);
  });
  fc.assert(property, { numRuns });
}

/** The value with the order of its keys and all that JSON does not have. An object without prototype counts as plain. */
function exactly(value: unknown): string {
  return inspect(value, { depth: null, maxArrayLength: null }).replaceAll("[Object: null prototype] ", "");
}

describe("code that is generated", () => {
  test("checks and finds issues as the walk does", () => {
    forAll(
      (compiled, value, walked) => {
        expect(compiled.accepts(value)).toBe(walked.accepts(value));
        expect(exactly(compiled.issues(value))).toBe(exactly(walked.issues(value)));
      },
      { numRuns: 400 },
    );
  });

  test("normalises as the walk does", () => {
    forAll(
      (compiled, value, walked) => {
        const [mine, other] = [compiled.normalise(value), walked.normalise(value)];
        expect(exactly(mine)).toBe(exactly(other));
        expect(mine.value === value).toBe(other.value === value);
      },
      { numRuns: 400 },
    );
  });

  test("casts as the walk does", () => {
    forAll((compiled, value, walked) => {
      const [mine, other] = [compiled, walked].map((one) => one.normalise(value, { cast: true }));
      expect(exactly(mine)).toBe(exactly(other));
    });
  });
});

describe("code that is generated once it pays", () => {
  test("takes over from the walk unnoticed", () => {
    const property = fc.property(schemasWithValues(), ({ schema, values }) => {
      const [compiled, walked] = [compile(schema), compile(schema, { generate: false })];
      const expected = values.map((value) => exactly([walked.issues(value), walked.normalise(value)]));
      for (let times = 0; times < 20; times++) {
        const answers = values.map((value) => exactly([compiled.issues(value), compiled.normalise(value)]));
        expect(answers).toEqual(expected);
      }
    });
    fc.assert(property, { numRuns: 50 });
  });
});

describe("any schema", () => {
  test("has issues with a value exactly where its check fails", () => {
    forAll((compiled, value) => {
      expect(compiled.issues(value).length === 0).toBe(compiled.accepts(value));
    });
  });

  test("tells the truth of what it has normalised or cast", () => {
    forAll((compiled, value) => {
      for (const cast of [false, true]) {
        const { value: result, isValid, warnings } = compiled.normalise(value, { cast });
        expect(compiled.accepts(result)).toBe(isValid);
        expect(warnings.some(({ code }) => code === "OUTPUT_MISMATCH")).toBe(!isValid);
        if (warnings.every(({ code }) => code === "OUTPUT_MISMATCH")) expect(result).toEqual(value);
      }
    });
  });

  test("leaves the value that it is given untouched", () => {
    forAll((compiled, value) => {
      const before = exactly(value);
      compiled.normalise(value);
      compiled.normalise(value, { cast: true });
      compiled.issues(value);
      expect(exactly(value)).toBe(before);
    });
  });

  test("gives the same answers again", () => {
    forAll((compiled, value) => {
      const first = [compiled.accepts(value), compiled.issues(value), compiled.normalise(value)];
      expect(exactly([compiled.accepts(value), compiled.issues(value), compiled.normalise(value)])).toBe(
        exactly(first),
      );
    });
  });

  test("adds nothing to the prototype of objects", () => {
    const before = Object.getOwnPropertyNames(Object.prototype);
    forAll((compiled, value) => {
      const { value: result } = compiled.normalise(value);
      if (result !== value) expect([Object.prototype, Array.prototype, null]).toContain(prototypeOf(result));
    });
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
  });
});

function prototypeOf(value: unknown): unknown {
  return typeof value === "object" && value !== null ? Object.getPrototypeOf(value) : null;
}

/** Keywords by which several schemas apply to the same value, and can want different things of it. */
const TOGETHER = [
  ...["$ref", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "patternProperties"],
  ...["unevaluatedProperties", "unevaluatedItems"],
];

describe("normalising again", () => {
  const changesNothing = (compiled: CompiledSchema, result: unknown) => {
    expect(exactly(compiled.normalise(result).value)).toBe(exactly(result));
  };

  test("changes nothing where the result matches", () => {
    forAll(
      (compiled, value) => {
        const { value: result, isValid } = compiled.normalise(value);
        if (isValid) changesNothing(compiled, result);
      },
      { without: ["default"] },
    );
  });

  test("changes nothing where the result matches and has defaults in it", () => {
    forAll(
      (compiled, value) => {
        const { value: result, isValid } = compiled.normalise(value);
        if (isValid) changesNothing(compiled, result);
      },
      { numRuns: 400 },
    );
  });

  test("changes nothing, whether it matches or not, where one schema at a time speaks of a value", () => {
    forAll((compiled, value) => changesNothing(compiled, compiled.normalise(value).value), {
      without: ["default", ...TOGETHER],
    });
  });
});

describe("an object that names its fields", () => {
  test("has no others once it is normalised", () => {
    forAll(
      (compiled, value) => {
        const { value: result, isValid } = compiled.normalise(value);
        if (isValid) expect(strangersIn(result, compiled.schema)).toEqual([]);
      },
      { without: ["default", "additionalProperties", ...TOGETHER] },
    );
  });

  /** The keys that no schema names. Only for schemas of which one at a time speaks of a value. */
  function strangersIn(value: unknown, schema: unknown): string[] {
    if (typeof schema !== "object" || schema === null || typeof value !== "object" || value === null) return [];
    const { properties = {}, required = [], items, prefixItems = [] } = schema as Words;
    if (Array.isArray(value)) return value.flatMap((item, at) => strangersIn(item, prefixItems[at] ?? items));
    if (Object.keys(properties).length === 0) return [];
    return Object.entries(value).flatMap(([key, item]) => {
      if (item === undefined) return [];
      if (!Object.hasOwn(properties, key)) return required.includes(key) ? [] : [key];
      return strangersIn(item, properties[key]);
    });
  }

  interface Words {
    readonly properties?: Record<string, unknown>;
    readonly required?: readonly string[];
    readonly items?: unknown;
    readonly prefixItems?: readonly unknown[];
  }
});

/** Each with the keywords of which it has another opinion. */
const OTHERS: readonly (readonly [string, (schema: object) => (value: unknown) => boolean, readonly string[]])[] = [
  [
    "ajv",
    (schema) => {
      const options = {
        strict: false,
        ownProperties: true,
        meta: false,
        validateSchema: false,
        logger: false,
      } as const;
      return new Ajv2020(options).compile(schema);
    },
    [
      // 0.3 is no multiple of 0.1 for it, because it divides in binary.
      "multipleOf",
      // It takes the empty list for `{ prefixItems: [{}], contains: {} }`, but rightly not without the items.
      "prefixItems",
      // Some of its code does not run: `items0 is not defined`.
      "unevaluatedItems",
    ],
  ],
  [
    "TypeBox",
    (schema) => {
      const validator = Compile(schema);
      return (value) => validator.Check(value);
    },
    ["multipleOf"],
  ],
];

describe("a check", () => {
  /** TypeBox takes what an object inherits for its fields; ajv leaves `__proto__` out, and never misses the name "". */
  const hasOddNames = (...values: unknown[]) =>
    /"(__proto__|constructor|toString)"|"required":\[[^\]]*""/.test(JSON.stringify(values));

  test.each(OTHERS)("agrees with %s", (_, checkOf, without) => {
    const property = fc.property(schemasWithValues({ beyondJson: false, without }), ({ schema, values }) => {
      const compiled = compile(schema, { generate: true });
      // For both of them a reference that leads to itself has no end.
      fc.pre(compiled.warnings.length === 0 && !hasOddNames(schema, values));
      const check = checkOf(schema);
      expect(values.map((value) => compiled.accepts(value))).toEqual(values.map((value) => check(value)));
    });
    fc.assert(property, { numRuns: 100 });
  });
});
