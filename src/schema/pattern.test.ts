import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compilePattern, linearPattern, type Pattern } from "./pattern.js";

function usable(pattern: ReturnType<typeof compilePattern>): Pattern {
  if ("fault" in pattern) throw new Error(pattern.fault);
  return pattern;
}

function native(source: string): RegExp {
  try {
    return new RegExp(source, "u");
  } catch {
    return new RegExp(source);
  }
}

const COMMON = [
  "",
  "^[a-z0-9]+(?:-[a-z0-9]+)*$",
  "^[A-Z]{3}-\\d+$",
  "^\\d{4}-\\d{2}-\\d{2}$",
  "^[a-zA-Z_][a-zA-Z0-9_]*$",
  "^https?://",
  "^(foo|bar|baz)$",
  "^.*$",
  "^\\S+@\\S+\\.\\S+$",
  "^(?!-)[a-z-]{1,63}$",
  "^(?=.*\\d).{8,}$",
  "^(?=.*[a-z])(?=.*[A-Z])(?!.*\\s).{3,}$",
  "^[UW][A-Z0-9]{8,}$|^$",
  "^I?\\d+[:|-]\\d+(?:;\\d+[:|-]\\d+)*$",
  "^$|^(?:[0-9a-zA-Z+/]{4})*(?:(?:[0-9a-zA-Z+/]{2}==)|(?:[0-9a-zA-Z+/]{3}=))?$",
  "^(?!\\.)(?!.*\\.\\.)([A-Za-z0-9_'+\\-\\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$",
  "^(?:(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)\\.){3}(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)$",
  "^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$",
];

const SYNTAX = [
  "\\bfoo\\B",
  "\\Bo\\b",
  "(?<year>\\d+)-(?:x|)y??",
  "[^]",
  "[]",
  "a|[]|$",
  "[^a-z\\d]",
  "[\\b\\t\\n\\v\\f\\r\\0]",
  "\\t|\\n|\\v|\\f|\\r|\\0",
  "\\x41\\u0042?\\cJ*",
  "\\u{1F600}",
  "^\\uD83D\\uDE00$",
  "\\uD83D",
  "[\\uD83D\\uDE00-\\u{1F64F}]",
  "^.$",
  "^..$",
  "^[^x]$",
  "\\p{Lu}\\P{Lu}",
  "[\\p{Script=Greek}\\d]{2,}",
  "^[^\\p{L}]+$",
  "\\w\\W\\s\\S\\d\\D",
  "^\\s+$",
  "(a{0}b){2}|(?:){3}c",
  "^a{2,3}?$",
  "(?:^|,)a(?:,|$)",
  "^(?:a?|b?)*$",
  "^(?:a*)*b",
  "^(?:\\b)+a",
];

/** What is valid only without the flag "u", with the oddities of Annex B. */
const LOOSE = [
  "\\-",
  "[\\w-.]",
  "[\\w--a]",
  "[a-\\d-z]",
  "a{",
  "a{,2}",
  "]",
  "}",
  "\\u{2}",
  "\\xZ|\\u12",
  "\\c1",
  "[\\c1]",
  "[\\c*]",
  "\\c",
  "\\8",
  "\\101\\60",
  "[\\101\\8]",
  "\\k<a>",
  "\\p{L}",
  "\\a|\\_",
  "(?=a)*b",
  "^.\\-?$",
  "\\-?\\ud83d",
];

const TEXTS = [
  ..." ,a,b,A,B,Foo,foo,bar,foobar,foo bar,-,a-,-a,a--b,abc-def-1,ABC-42,2024-01-31,_x1,https://a.b,x@y.z,a@b@c.de".split(
    ",",
  ),
  ..."1:2;3:4,I1-2,W0123456789,YWJj,YWI=,YQ==,192.168.0.1,256.1.1.1,a.b.c,passw0rdX,\\,\\c1,\\c,c1,8,A0,{2},uu,a{,]".split(
    ",",
  ),
  ..."},p{L},k<a>,u12,xZ,a_,abb,aa,aaa,aaaa,bb,c,1,12,-y,7-xy".split(","),
  ...["\t", "\n", "\v", "\f", "\r", "\0", "\b", "\u0011", "\u2028", "\ufeff", "\u00a0", "a\n", ",a,", "a,b"],
  ...["😀", "😀😀", "\ud83d", "\ude00", "x\ud83d", "\ud83dx", "\ude00\ud83d", "é", "Éa", "αβ", "δ1", "-\ud83d", "😀-"],
];

describe("a pattern", () => {
  test.each([...COMMON, ...SYNTAX, ...LOOSE])("%j takes what the engine takes", (source) => {
    const pattern = usable(compilePattern(source));
    expect(TEXTS.filter((text) => pattern.test(text))).toEqual(TEXTS.filter((text) => native(source).test(text)));
  });

  test.each([...COMMON, ...SYNTAX, ...LOOSE])("%j takes in linear time what the engine takes", (source) => {
    const pattern = usable(linearPattern(source));
    expect(TEXTS.filter((text) => pattern.test(text))).toEqual(TEXTS.filter((text) => native(source).test(text)));
  });

  test.each(["^(\\w)\\1$", "(?<a>.)\\k<a>", "a(?=b)", "(?<=a)b", "^(?:(?!foo).)*$", "(?<!a|bc)c$"])(
    "%j runs on the engine alone",
    (source) => {
      const pattern = usable(compilePattern(source));
      expect(linearPattern(source)).toHaveProperty("fault");
      expect(TEXTS.filter((text) => pattern.test(text))).toEqual(TEXTS.filter((text) => native(source).test(text)));
    },
  );

  test("tells its source and is compiled once", () => {
    expect(compilePattern("^once$")).toHaveProperty("source", "^once$");
    expect(compilePattern("^once$")).toBe(compilePattern("^once$"));
  });

  test("is forgotten when many others have come", () => {
    const first = compilePattern("^forgotten$");
    for (let count = 0; count < 2_000; count += 1) compilePattern(`^other${count}$`);
    expect(compilePattern("^forgotten$")).not.toBe(first);
  });
});

/** Regular expressions from a grammar, over the letters that the texts have. */
const { source: sources } = fc.letrec<{ source: string; sequence: string; item: string; atom: string }>((tie) => ({
  source: fc.oneof(
    { maxDepth: 4 },
    tie("sequence"),
    fc.tuple(tie("source"), tie("source")).map((two) => two.join("|")),
  ),
  sequence: fc.array(tie("item"), { minLength: 1, maxLength: 4 }).map((items) => items.join("")),
  item: fc.oneof(
    { maxDepth: 4 },
    fc
      .tuple(tie("atom"), fc.constantFrom("", "", "*", "+", "?", "*?", "{2}", "{0}", "{1,3}", "{2,}"))
      .map((two) => two.join("")),
    fc.constantFrom("^", "$", "\\b", "\\B"),
  ),
  atom: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom("a", "b", "-", ".", "[ab]", "[^a]", "\\w", "\\W", "\\s", "[\\w-]", "😀", "\\p{L}", "[^\\p{L}a]"),
    tie("source").map((source) => `(${source})`),
    tie("source").map((source) => `(?:${source})`),
  ),
}));

// V8 looks for `\\B` inside a surrogate pair, against the specification.
const isAgreed = (source: string, text: string) => !(source.includes("\\B") && text.includes("😀"));

/** Short, since the engine to compare with may need exponential time. */
const texts = fc.string({ unit: fc.constantFrom("a", "b", "-", " ", "\n", "😀", "\ud83d"), maxLength: 5 });

describe("a generated pattern", () => {
  test.each([
    ["", compilePattern],
    [" in linear time", linearPattern],
  ])("takes%s what the engine takes", (_, compile) => {
    fc.assert(
      fc.property(sources, fc.array(texts, { maxLength: 8 }), (source, any) => {
        const pattern = compile(source);
        fc.pre(!("fault" in pattern));
        const some = any.filter((text) => isAgreed(source, text));
        expect(some.map((text) => pattern.test(text))).toEqual(some.map((text) => native(source).test(text)));
      }),
      { numRuns: 1_000 },
    );
  });

  test("takes code units where the flag is not possible", () => {
    fc.assert(
      fc.property(sources, texts, (source, text) => {
        const loose = `(?:${source})\\-?`;
        const pattern = linearPattern(loose);
        fc.pre(!("fault" in pattern));
        expect(pattern.test(text)).toBe(new RegExp(loose).test(text));
      }),
      { numRuns: 1_000 },
    );
  });

  test("of any characters is a pattern or a fault", () => {
    const unit = fc.constantFrom(..."abdswpkuxc019,=!<>:?*+{}()[]^$.|\\-");
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 12 }), texts, (source, text) => {
        const pattern = compilePattern(source);
        if (!("fault" in pattern) && isAgreed(source, text)) expect(pattern.test(text)).toBe(native(source).test(text));
      }),
      { numRuns: 2_000 },
    );
  });
});

const EVIL =
  "^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}(([a-z]{2,3})|([a-z]{2,3}[.]{1}[a-z]{2,3}))$";

/** Pattern, text and answer: each takes a backtracking engine minutes or ages. */
const HOSTILE: readonly (readonly [source: string, text: string, answer: boolean])[] = [
  ["^(a+)+$", `${"a".repeat(100_000)}!`, false],
  ["^(a+)+$", "a".repeat(100_000), true],
  ["^(a|aa)+$", `${"a".repeat(100_000)}!`, false],
  ["^(a|a)*$", `${"a".repeat(5_000)}!`, false],
  ["^(a|b|ab)*$", `${"ab".repeat(5_000)}!`, false],
  ["(x+x+)+y", "x".repeat(100_000), false],
  ["^(\\w+\\s?)*$", `${"word ".repeat(20_000)}!`, false],
  ["(.*a){25}", "a".repeat(24), false],
  ["(.*a){25}", `${"b".repeat(50_000)}${"a".repeat(24)}${"b".repeat(50_000)}`, false],
  [EVIL, `${"a".repeat(50_000)}!`, false],
  [EVIL, `${"a".repeat(50_000)}@b.cd`, true],
  ["a*b", "a".repeat(100_000), false],
  ["a*b", "a".repeat(10_000), false],
  ["\\s+$", `${" ".repeat(100_000)}x`, false],
  ["^(?:a?){30}a{30}$", "a".repeat(29), false],
  ["^\\S+@\\S+\\.\\S+$", `${"@".repeat(3_000)}${".".repeat(3_000)} `, false],
  ["^(?:(?:a*)?)*$", `${"a".repeat(10_000)}!`, false],
  ["^(?:(?:a?)+b)*$", `${"ab".repeat(10_000)}!`, false],
  ["^(?:\\p{L}+\\p{M}*)+$", `${"é".repeat(20_000)}!`, false],
  [`(?:a${"\\B".repeat(2_000)})*b`, "a".repeat(3_000), false],
  ["^(?=(?:a+)+$)a*", `${"a".repeat(20_000)}!`, false],
  ["^(?!(?:a+)+$)a*", `${"a".repeat(20_000)}`, false],
  ["^(?=.*\\d).{8,}$", `${"a".repeat(50_000)}1`, true],
];

describe("a text made to take long", () => {
  test.each(HOSTILE.map(([source, text, answer]) => ({ source, text, answer, length: text.length })))(
    "is answered by $source at a length of $length",
    ({ source, text, answer }) => {
      expect(usable(compilePattern(source)).test(text)).toBe(answer);
    },
  );

  test("is refused by a pattern that only the engine can run", () => {
    const pattern = usable(compilePattern("^(?:(?!b)[ab])*$"));
    expect([pattern.test("a".repeat(10_000)), pattern.test("a".repeat(10_001))]).toEqual([true, false]);
  });

  test("is given up in the end, also where it must not match", () => {
    const [pattern, text] = [".*(?:a?){1200}(?:a?){1200}b", "a".repeat(60_000)];
    expect(usable(compilePattern(`^(?!${pattern})a`)).test(text)).toBe(false);
  });
});

describe("a pattern that cannot be used", () => {
  test.each(["(?i)abc", "[a", "\\p{Foo}(", "*", "**", "(", "a{2,1}", "(?<a>.)(?<a>.)", "(?P<a>b)"])(
    "%j says why",
    (source) => {
      expect(compilePattern(source)).toEqual({ fault: expect.stringContaining("cannot be used") });
    },
  );

  test.each([
    ["too long a source", "a".repeat(5_001)],
    ["too many states", "(a{1,500}){1,500}"],
    ["endless counts", `(?:a?){${"9".repeat(400)}}`],
    ["too deep a nesting", `${"(".repeat(101)}a${")".repeat(101)}`],
    ["a very deep nesting", `${"(?:".repeat(1_200)}a${")".repeat(1_200)}`],
    ["a hostile look-ahead", "x(?=(a+)+$)b"],
    ["a hostile back-reference", "^(a+)+\\1$"],
    ["a hostile look-behind", "(?<=^(a+)+)b"],
  ])("has %s", (_, source) => {
    expect(compilePattern(source)).toHaveProperty("fault");
  });

  test.each([
    ["many counts inside each other", `${"(?:".repeat(90)}\\b${"){2}".repeat(90)}`],
    ["many empty counts inside each other", `${"(?:".repeat(90)}${"){1,2}".repeat(90)}`],
    [
      "a wide choice in a loop",
      `^(?:${Array.from({ length: 1_200 }, (_, code) => String.fromCharCode(0x4e00 + code)).join("|")})*$`,
    ],
    ["many options", `^(?:${"a|".repeat(2_000)}b)*$`],
    ["wide classes", `^(?:${`[${"acegikmoqsuwy".repeat(18)}]*`.repeat(20)})*$`],
  ])("is told quickly with %s", (_, source) => {
    const pattern = compilePattern(source);
    if (!("fault" in pattern)) pattern.test("a".repeat(10_000));
  });
});
