import { describe, expect, test } from "vitest";
import { abortedFor, withWorker, workerLost } from "./failure.js";

describe("withWorker", () => {
  test("says of a lost worker where it heard its callers", () => {
    const { details, code } = withWorker(workerLost(300), "control.w1");
    expect([code, details]).toEqual(["WORKER_LOST", { mayHaveRun: true, controlTo: "control.w1" }]);
  });

  test("changes nothing where the worker is not known, or another error has ended the call", () => {
    const [lost, aborted] = [workerLost(300), abortedFor("enough")];
    expect([withWorker(lost, undefined), withWorker(aborted, "control.w1")]).toEqual([lost, aborted]);
  });
});
