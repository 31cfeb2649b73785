import { expect, test } from "vitest";
import { type Fetching, Transfers } from "./transfers.js";

/** Transfers of two bytes each, and how often each was said to go on. */
function stage(): { transfers: Transfers; names: string[]; fetch: () => { signs: () => number } } {
  const names: string[] = [];
  const transfers = new Transfers({ address: "parts.a", claim: (_from, _claim, name) => names.push(name) });
  const fetch = (): { signs: () => number } => {
    let signs = 0;
    const fetching: Fetching = { goesOn: () => (signs += 1), done: () => {} };
    transfers.fetch({ large: "1", size: 2, requestId: "1", from: "parts.b" }, fetching);
    return { signs: () => signs };
  };
  return { transfers, names, fetch };
}

test("an event whose parts come, or that waits for its turn, goes on; one whose sender is silent does not", () => {
  const { transfers, names, fetch } = stage();
  const fetched = Array.from({ length: 9 }, fetch);
  const now = Date.now();
  transfers.sweep(now + 500, 30_000);
  expect(fetched.map(({ signs }) => signs())).toEqual(Array(9).fill(1));
  transfers.onPart(names[0] ?? "", "0", new Uint8Array(1));
  transfers.sweep(now + 5_000, 30_000);
  expect(fetched.map(({ signs }) => signs())).toEqual([...Array(8).fill(1), 2]);
  transfers.clear();
});
