import type { Bus } from "../protocol/bus.js";
import { BUS_LAWS } from "./bus-laws.js";
import { BusStage } from "./bus-stage.js";
import { CALL_LAWS } from "./call-laws.js";
import { LASTING_LAWS } from "./lasting-laws.js";

/** One case of a suite that waits, for whatever test runner: `for (const { label, run } of cases) test(label, run)`. */
export interface AsyncTestCase {
  readonly label: string;
  readonly run: () => Promise<void>;
}

export interface BusTestOptions {
  /** How long an event may take, in milliseconds. @default 2000 */
  readonly timeoutMs?: number;
  /** After how many milliseconds without an event no more is expected. @default 20 */
  readonly quietMs?: number;
}

/**
 * The cases that every bus must pass: the laws of its contract, then the call protocol, also
 * where workers are lost and events with them. Each has a bus of its own.
 */
export function testBus(
  name: string,
  create: () => Bus | Promise<Bus>,
  { timeoutMs = 2000, quietMs = 20 }: BusTestOptions = {},
): AsyncTestCase[] {
  return Object.entries({ ...BUS_LAWS, ...CALL_LAWS, ...LASTING_LAWS }).map(([label, law]) => ({
    label: `${name} ${label}`,
    run: async () => {
      const bus = await create();
      try {
        await law(new BusStage(bus, timeoutMs, quietMs));
      } finally {
        await bus.close();
      }
    },
  }));
}
