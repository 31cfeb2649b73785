import { describe, expect, test } from "vitest";
import type { Dialect } from "../../../dialects/dialect.js";
import { failure, success, wireOf } from "../../../dialects/fixtures/reading.js";
import { responseEnvelope } from "../../../dialects/response-envelope.js";
import { responseV2 } from "../../../dialects/response-v2.js";
import type { CallError } from "../../../envelope/call-error.js";
import { hintsOfFailure } from "../../../registry/failure-hints.js";
import type { ProgressReport } from "./answer.js";
import { envelopesOf, untilFailure, valuesOf } from "./fixtures/streamed.js";
import { isUnfolded } from "./unfold.js";

describe.each([responseV2, responseEnvelope] as readonly Dialect[])("a stream of Plico in $name", (dialect) => {
  const headers = { "plico-stream": "1" };
  const contentType = "text/event-stream";
  const value = (data: unknown): string =>
    `event: value\nid: 1\ndata: ${JSON.stringify(wireOf(dialect, success(data)))}\n\n`;
  const END = "event: end\ndata: {}\n\n";

  test("gives its values as they are, and ends where it says so", async () => {
    const body = `${value({ n: 1 })}${value("two")}${value(null)}${END}${value("after")}`;
    const envelopes = await envelopesOf({ contentType, headers, body });
    expect(envelopes.map(({ data }) => data)).toEqual([{ n: 1 }, "two", null]);
    expect(envelopes.every(isUnfolded)).toBe(true);
    expect(envelopes[0]?.meta.extra?.["sse"]).toBeUndefined();
  });

  test("fails as the server says", async () => {
    const said = failure({ category: "conflict", code: "ROW_LOCKED", message: "Row 7 is locked", retryAfterMs: 500 });
    const body = `${value(1)}event: failure\ndata: ${JSON.stringify(wireOf(dialect, said))}\n\n`;
    const { values, error } = await untilFailure({ contentType, headers, body });
    expect(values).toEqual([1]);
    expect((error as CallError).toJSON()).toEqual(said.error);
    expect(hintsOfFailure(error as CallError)).toMatchObject({ source: "http", statusCode: 200 });
  });

  test("fails where the error is no document", async () => {
    const body = 'event: failure\ndata: {"message":"sorry"}\n\n';
    const { error } = await untilFailure({ contentType, headers, body });
    expect(error).toMatchObject({ name: "CallError", category: "execution", details: { body: { message: "sorry" } } });
  });

  test("fails where it stops without having said so", async () => {
    const { values, error } = await untilFailure({ contentType, headers, body: value(1) });
    expect(values).toEqual([1]);
    expect(error).toMatchObject({ name: "CallError", category: "unavailable", recoverable: true });
  });

  test("gives no half of a value that it stopped in", async () => {
    const body = `${value(1)}${value(2).trimEnd()}`;
    const { values, error } = await untilFailure({ contentType, headers, body });
    expect(values).toEqual([1]);
    expect(error).toMatchObject({ category: "unavailable" });
  });

  test("may have bare data, which is JSON whatever is expected", async () => {
    const body = `event: value\ndata: 7\n\nevent: value\ndata: "eight"\n\n${END}`;
    expect(await valuesOf({ contentType, headers, body }, { expectsJson: false })).toEqual([7, "eight"]);
  });

  test("tells its progress, and what it does not know is passed over", async () => {
    const reports: ProgressReport[] = [];
    const progress = (data: unknown): string => `event: progress\ndata: ${JSON.stringify(data)}\n\n`;
    const told = [{ progress: 1, total: 2, message: "half" }, { progress: 2, total: "two", more: 1 }, { total: 1 }, 3];
    const body = `${told.map(progress).join("")}event: later\ndata: {}\n\n${value(1)}${END}`;
    const onProgress = (report: ProgressReport): void => void reports.push(report);
    expect(await valuesOf({ contentType, headers, body }, { onProgress })).toEqual([1]);
    expect(reports).toEqual([{ progress: 1, total: 2, message: "half" }, { progress: 2 }]);
  });

  test("is an ordinary one without the header", async () => {
    const [first, second] = await envelopesOf({ contentType, body: `${value(1)}${END}` });
    expect(first?.data).toEqual(1);
    expect(first?.meta.extra?.["sse"]).toEqual({ event: "value", id: "1" });
    expect(second?.data).toEqual({});
  });

  test("keeps its documents where they are not to be unfolded", async () => {
    const values = await valuesOf({ contentType, headers, body: `${value(1)}${END}` }, { unfold: false });
    expect(values).toEqual([wireOf(dialect, success(1))]);
  });
});
