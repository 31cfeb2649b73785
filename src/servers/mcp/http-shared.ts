import type { RunningCalls } from "../running-calls.js";
import type { Core } from "./core.js";
import type { Sessions } from "./sessions.js";

/** What the calls over HTTP beside the SDK share with all that the SDK serves. */
export interface HttpShared {
  readonly core: Core;
  readonly running: RunningCalls;
  readonly sessions: Sessions;
}
