import { describe, expect, test } from "vitest";
import { CallError } from "../envelope/call-error.js";
import type { Progress } from "../registry/call-options.js";
import { ClientCall } from "./client-call.js";

const WHY = new CallError({ category: "aborted", message: "gone" });
const NOBODY = { identity: undefined, metadata: undefined };

describe("a call of a client", () => {
  test("says to the registry what is known of it, and nothing else", () => {
    const identity = { id: "ada", scopes: [] };
    const call = new ClientCall({ identity, metadata: { a: 1 }, requestId: "r", deadline: 5 });
    expect({ ...call }).toMatchObject({ isRemote: true, identity, metadata: { a: 1 }, requestId: "r", deadline: 5 });
    expect(call.options()).toMatchObject({ isRemote: true, identity, metadata: { a: 1 }, requestId: "r", deadline: 5 });
    const bare = new ClientCall(NOBODY);
    for (const name of ["identity", "metadata", "requestId", "deadline", "onProgress"]) {
      expect(bare).not.toHaveProperty(name);
      expect(bare.options()).not.toHaveProperty(name);
    }
  });

  test("ends at its deadline, or never", () => {
    expect(new ClientCall({ ...NOBODY, deadline: 5 }).expiresAt).toBe(5);
    expect(new ClientCall(NOBODY).expiresAt).toBe(Number.POSITIVE_INFINITY);
  });

  test("can be stopped before and after it has begun", () => {
    for (const isEarly of [true, false]) {
      const call = new ClientCall(NOBODY);
      const ended: unknown[] = [];
      if (isEarly) call.stop(WHY);
      call.options().onStart?.((error) => ended.push(error));
      if (!isEarly) call.stop(WHY);
      call.stop(new CallError({ category: "timeout", message: "again" }));
      expect(ended).toEqual([WHY]);
      expect(call.isOver).toBe(true);
    }
  });

  test("tells of progress that grows, until it is over", () => {
    const told: Progress[] = [];
    const call = new ClientCall({ ...NOBODY, onProgress: (progress) => told.push(progress) });
    for (const progress of [1, 1, 0.5, Number.NaN, 2]) call.onProgress?.({ progress });
    call.isOver = true;
    call.onProgress?.({ progress: 3 });
    expect(told).toEqual([{ progress: 1 }, { progress: 2 }]);
  });
});
