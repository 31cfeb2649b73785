import type { Gateway } from "../gateway.js";

/** What is served of a gateway; a recording that is replayed has the same. */
export type ServedGateway = Pick<Gateway, "served" | "loaded" | "results" | "sourceOf" | "settled" | "health">;
