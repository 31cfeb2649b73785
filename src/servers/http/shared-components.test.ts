import { describe, expect, test } from "vitest";
import type { JsonRecord } from "../../json/value.js";
import { markDefinitions } from "../../schema/shared-definitions.js";
import { SchemaComponents } from "./schema-components.js";

const card = { type: "object", properties: { owner: { $ref: "#/$defs/person" } }, required: ["owner"] };
const person = { type: "object", properties: { card: { $ref: "#/$defs/card" } } };
const cardComponent = { ...card, properties: { owner: { $ref: "#/components/schemas/person" } } };

function marked(definitions: JsonRecord, set: object): JsonRecord {
  markDefinitions(definitions, set);
  return definitions;
}

describe("definitions that many schemas have", () => {
  test("are one component for all of them, by their own name", () => {
    const set = {};
    const components = new SchemaComponents();
    for (const name of ["a", "b"])
      components.add(name, () => ({ $ref: "#/$defs/card", $defs: marked({ card, person }, set) }), "output");
    expect(components.schemas).toEqual({
      a: { $ref: "#/components/schemas/card" },
      b: { $ref: "#/components/schemas/card" },
      card: cardComponent,
      person: { ...person, properties: { card: { $ref: "#/components/schemas/card" } } },
    });
  });

  test("are followed to those that came with another schema", () => {
    const set = {};
    const pair = { type: "array", items: { $ref: "#/$defs/card" }, minItems: 1 };
    const components = new SchemaComponents();
    components.add("a", () => ({ $ref: "#/$defs/card", $defs: marked({ card, person }, set) }), "output");
    const { checked, root } = components.add(
      "b",
      () => ({ properties: { pair: { $ref: "#/$defs/pair" } }, $defs: marked({ pair, card, person }, set) }),
      "output",
    );
    const loop = { owner: { card: { owner: {} } } };
    expect(components.schemas["pair"]).toEqual({ ...pair, items: { $ref: "#/components/schemas/card" } });
    expect([checked.accepts({ pair: [loop] }), checked.accepts({ pair: [{ owner: { card: {} } }] })]).toEqual([
      true,
      false,
    ]);
    expect(root.properties?.get("pair")?.items?.required).toEqual(["owner"]);
  });

  test("can be copied, as all parts, to other places", () => {
    const set = {};
    const components = new SchemaComponents();
    const schema = { properties: { card: { $ref: "#/$defs/card" } } };
    const [, second] = ["a", "b"].map((name) =>
      components.add(name, () => ({ ...schema, $defs: marked({ card, person }, set) }), "output"),
    );
    const part = second?.root.properties?.get("card");
    expect(part && second?.copyOf(part)).toEqual(cardComponent);
  });

  test("stay apart where nobody says that they are the same", () => {
    const components = new SchemaComponents();
    const reference = { $ref: "#/$defs/card" };
    components.add("a", () => ({ ...reference, $defs: { card, person } }), "output");
    components.add("b", () => ({ ...reference, $defs: { card, person: { type: "string" } } }), "output");
    expect(components.schemas["a.person"]).toMatchObject({ type: "object" });
    expect(components.schemas["b.person"]).toEqual({ type: "string" });
  });

  test("stay apart where they are of two sets, or in the words of another draft", () => {
    const components = new SchemaComponents();
    const set = {};
    const add = (name: string, set: object, more: JsonRecord = {}, side: "input" | "output" = "output"): unknown =>
      components.add(name, () => ({ $ref: "#/$defs/card", $defs: marked({ card, person }, set), ...more }), side);
    add("a", set);
    add("b", {});
    add("c", {}, {}, "input");
    add("d", set, { $schema: "https://json-schema.org/draft/2020-12/schema" });
    expect(Object.keys(components.schemas).sort()).toEqual(
      ["a", "b", "c", "d", "card", "card_2", "card.input", "d.card"].flatMap(withPerson).sort(),
    );
  });

  test("are told to be broken by each schema that has them, and are shown without what is broken", () => {
    const set = {};
    const components = new SchemaComponents();
    const broken = { type: "object", properties: { a: { type: "text" } } };
    const sound = { type: "string" };
    const add = (name: string, definition: string): readonly unknown[] => {
      const $defs = marked(definition === "broken" ? { broken } : { sound }, set);
      return components.add(name, () => ({ $ref: `#/$defs/${definition}`, $defs }), "output").warnings;
    };
    expect([add("a", "broken"), add("b", "broken"), add("c", "sound")].map(({ length }) => length)).toEqual([1, 1, 0]);
    // As the whole schema, whose parts are the same objects.
    components.add("d", () => ({ ...broken, $defs: marked({ broken }, set) }), "output");
    const shown = { type: "object", properties: { a: {} } };
    expect(components.schemas).toMatchObject({ broken: shown, d: shown });
  });

  test("are not lost with a schema that is too large to be shown", () => {
    const set = {};
    const components = new SchemaComponents();
    const many = Object.fromEntries(Array.from({ length: 21_000 }, (_, at) => [`p${at}`, { $ref: "#/$defs/card" }]));
    const wide = { type: "object", properties: many };
    components.add("large", () => ({ ...wide, $defs: marked({ card, person }, set) }), "output");
    components.add("a", () => ({ $ref: "#/$defs/card", $defs: marked({ card, person }, set) }), "output");
    expect(components.schemas).toMatchObject({ large: { type: "object" }, card: cardComponent, person: {} });
  });
});

function withPerson(name: string): string[] {
  return name.includes("card") ? [name, name.replace("card", "person")] : [name];
}
