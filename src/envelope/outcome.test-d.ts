import { describe, expectTypeOf, test } from "vitest";
import type { CallErrorData } from "./call-error.js";
import {
  envelopeFromOutcome,
  type Failure,
  type Outcome,
  type OutcomeMeta,
  outcomeFromEnvelope,
  type Success,
} from "./outcome.js";
import { localEnvelope, type ResponseEnvelope, type ResponseMeta } from "./response-envelope.js";

declare const outcome: Outcome<{ rows: number[] }>;
declare const meta: OutcomeMeta;

describe("Outcome", () => {
  test("narrows on ok", () => {
    if (outcome.ok) {
      expectTypeOf(outcome).toEqualTypeOf<Success<{ rows: number[] }>>();
      expectTypeOf(outcome.data.rows).toEqualTypeOf<number[]>();
    } else {
      expectTypeOf(outcome).toEqualTypeOf<Failure>();
      expectTypeOf(outcome.error).toEqualTypeOf<CallErrorData>();
    }
  });

  test("has neither data nor an error before it is asked", () => {
    // @ts-expect-error a failure has no data
    outcome.data;
    // @ts-expect-error a success has no error
    outcome.error;
  });

  test("holds unknown data unless told", () => {
    expectTypeOf<Extract<Outcome, { ok: true }>["data"]>().toBeUnknown();
  });

  test("is read only", () => {
    // @ts-expect-error it is data
    outcome.ok = true;
  });

  test("takes no half of each", () => {
    expectTypeOf<{ ok: true; error: CallErrorData; meta: OutcomeMeta }>().not.toExtend<Outcome>();
    expectTypeOf<{ ok: false; data: unknown; meta: OutcomeMeta }>().not.toExtend<Outcome>();
  });
});

describe("OutcomeMeta", () => {
  test("may have no origin, or one that is whole", () => {
    expectTypeOf<Record<never, never>>().toExtend<OutcomeMeta>();
    expectTypeOf<{ requestId: string }>().toExtend<OutcomeMeta>();
    expectTypeOf<ResponseMeta>().toExtend<OutcomeMeta>();
    expectTypeOf<{ source: "http" }>().not.toExtend<OutcomeMeta>();
    expectTypeOf<{ source: "ftp" }>().not.toExtend<OutcomeMeta>();
  });

  test("discriminates on source, which may be undefined", () => {
    expectTypeOf(meta.source).toEqualTypeOf<"local" | "http" | "mcp" | "script" | undefined>();
    if (meta.source === "script") expectTypeOf(meta.command).toEqualTypeOf<string[]>();
    if (meta.source !== undefined) expectTypeOf(meta).toExtend<ResponseMeta>();
  });

  test("takes an absent hint and not an undefined one", () => {
    expectTypeOf<{ requestId: undefined }>().not.toExtend<OutcomeMeta>();
  });
});

describe("the ways between envelope and outcome", () => {
  test("keep the type of the data", () => {
    expectTypeOf(outcomeFromEnvelope(localEnvelope(5, "a.b"))).toEqualTypeOf<Outcome<number>>();
    expectTypeOf(envelopeFromOutcome(outcome)).toEqualTypeOf<ResponseEnvelope<{ rows: number[] }>>();
  });
});
