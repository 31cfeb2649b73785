import { describe, expectTypeOf, test } from "vitest";
import type { Issue } from "../json/issue.js";
import {
  CallError,
  type CallErrorData,
  type CallErrorInit,
  callErrorData,
  callErrorFrom,
  isCallError,
} from "./call-error.js";
import {
  CATEGORY_FACTS,
  type Category,
  type CategoryFacts,
  categoryFromErrorType,
  categoryFromStatus,
  isKnownCategory,
  type KnownCategory,
} from "./category.js";

declare const anything: unknown;
declare const category: Category;

describe("Category", () => {
  test("allows strings that nobody knows, beside those that everybody does", () => {
    expectTypeOf<"timeout">().toExtend<Category>();
    expectTypeOf<"quantum">().toExtend<Category>();
    expectTypeOf<string>().toExtend<Category>();
    expectTypeOf<Category>().toExtend<string>();
    expectTypeOf<number>().not.toExtend<Category>();
  });

  test("keeps the known ones apart from string, so that an editor offers them", () => {
    expectTypeOf<Extract<Category, "timeout">>().toEqualTypeOf<"timeout">();
    expectTypeOf<Category>().not.toEqualTypeOf<string>();
  });

  test("narrows to a known one, for which the table has a row", () => {
    if (isKnownCategory(category)) {
      expectTypeOf(category).toExtend<KnownCategory>();
      expectTypeOf(CATEGORY_FACTS[category]).toEqualTypeOf<CategoryFacts>();
    }
    expectTypeOf<"quantum">().not.toExtend<KnownCategory>();
  });

  test("is a known one where a table of our own decides, and open where a wire does", () => {
    expectTypeOf(categoryFromStatus(404)).toEqualTypeOf<KnownCategory>();
    expectTypeOf(categoryFromErrorType("feature_flag")).toEqualTypeOf<Category>();
  });
});

describe("CallError", () => {
  test("needs a category and a message, and no more", () => {
    new CallError({ category: "timeout", message: "slow" });
    new CallError({ category: "quantum", message: "entangled", cause: 5 });
    // @ts-expect-error the message is missing
    new CallError({ category: "timeout" });
    // @ts-expect-error the category is missing
    new CallError({ message: "slow" });
  });

  test("takes no undefined for what may be absent", () => {
    // @ts-expect-error an optional field is there or absent
    new CallError({ category: "timeout", message: "slow", code: undefined });
    expectTypeOf<{ category: "timeout"; message: string; nextTool: undefined }>().not.toExtend<CallErrorInit>();
    expectTypeOf<{ path: string; message: string; rule: undefined }>().not.toExtend<Issue>();
  });

  test("is an Error and has the fields of its data", () => {
    expectTypeOf<CallError>().toExtend<Error>();
    expectTypeOf<CallError>().toExtend<CallErrorData>();
    expectTypeOf<CallError["name"]>().toEqualTypeOf<"CallError">();
    expectTypeOf<CallError["recoverable"]>().toBeBoolean();
    expectTypeOf<CallError["details"]>().toBeUnknown();
    expectTypeOf<ReturnType<CallError["toJSON"]>>().toEqualTypeOf<CallErrorData>();
  });

  test("is data that nobody changes", () => {
    const error = new CallError({ category: "timeout", message: "slow" });
    // @ts-expect-error it is data
    error.code = "OTHER";
    // @ts-expect-error it is data
    error.category = "internal";
  });

  test("comes of whatever was thrown", () => {
    expectTypeOf(callErrorFrom).parameters.toEqualTypeOf<[thrown: unknown]>();
    expectTypeOf(callErrorFrom(anything)).toEqualTypeOf<CallError>();
    if (isCallError(anything)) expectTypeOf(anything).toEqualTypeOf<CallError>();
  });

  test("has plain data without a cause", () => {
    expectTypeOf(callErrorData({ category: "timeout", message: "slow" })).toEqualTypeOf<CallErrorData>();
    // @ts-expect-error a cause is no data
    callErrorData({ category: "timeout", message: "slow", cause: 5 });
    expectTypeOf<CallErrorData>().not.toHaveProperty("cause");
  });
});
