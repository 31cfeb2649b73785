// Cases in short interleaved slices, so that a noisy machine disturbs all alike; each is judged by its median slice.

/** Times each case; the first is the limit that the others are compared with. */
export function compare(cases, { slices = 21, sliceMs = 20, warmMs = 200 } = {}) {
  const names = Object.keys(cases);
  const counts = Object.fromEntries(names.map((name) => [name, warm(cases[name], warmMs, sliceMs)]));
  const times = Object.fromEntries(names.map((name) => [name, []]));
  for (let slice = 0; slice < slices; slice++) {
    for (const name of names) times[name].push(measure(cases[name], counts[name]));
  }
  const limit = median(times[names[0]]);
  return names.map((name) => ({ name, us: median(times[name]) / 1000, ratio: median(times[name]) / limit }));
}

/** As `compare`, for cases that answer later; each call is awaited. */
export async function compareAsync(cases, { slices = 31, sliceMs = 12, warmMs = 250 } = {}) {
  const names = Object.keys(cases);
  const counts = {};
  for (const name of names) counts[name] = await warmAsync(cases[name], warmMs, sliceMs);
  const times = Object.fromEntries(names.map((name) => [name, []]));
  for (let slice = 0; slice < slices; slice++) {
    for (const name of names) times[name].push(await measureAsync(cases[name], counts[name]));
  }
  const limit = median(times[names[0]]);
  return names.map((name) => ({ name, us: median(times[name]) / 1000, ratio: median(times[name]) / limit }));
}

async function warmAsync(run, warmMs, sliceMs) {
  const start = performance.now();
  let calls = 0;
  while (performance.now() - start < warmMs) {
    for (let at = 0; at < 20; at++) await run();
    calls += 20;
  }
  return Math.max(1, Math.round((calls * sliceMs) / (performance.now() - start)));
}

async function measureAsync(run, count) {
  const start = process.hrtime.bigint();
  for (let at = 0; at < count; at++) await run();
  return Number(process.hrtime.bigint() - start) / count;
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1];
}

/** Runs a case until it is compiled, and gives the number of calls that fill a slice. */
function warm(run, warmMs, sliceMs) {
  const start = performance.now();
  let calls = 0;
  while (performance.now() - start < warmMs || calls < 3) {
    run();
    calls++;
  }
  return Math.max(1, Math.round((calls * sliceMs) / (performance.now() - start)));
}

/** Nanoseconds a call. */
function measure(run, count) {
  const start = process.hrtime.bigint();
  for (let at = 0; at < count; at++) run();
  return Number(process.hrtime.bigint() - start) / count;
}

/** One table; a row with a goal says whether its ratio keeps it. */
export function printRows(title, rows) {
  console.log(`\n${title}`);
  for (const { name, us, ratio, goal } of rows) {
    const judged = goal === undefined ? "" : `goal ${goal}  ${ratio <= goal ? "ok" : "MISSED"}`;
    console.log(`  ${name.padEnd(34)} ${us.toFixed(3).padStart(10)} µs  ${ratio.toFixed(2).padStart(7)}  ${judged}`);
  }
}
