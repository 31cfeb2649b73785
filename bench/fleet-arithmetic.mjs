// The closed formulas that bench/fleet.mjs holds its simulation against. Times are in seconds, rates a second.

/**
 * A worker with `lanes` that each take `service` a call on average (exponential), and room for `room` calls in all, as
 * M/M/c/K: what it refuses, how many are in it, and how long those that it took stay.
 */
export function station({ arrivals, service, lanes, room }) {
  const rate = 1 / service;
  const weights = [1];
  for (let count = 1; count <= room; count++)
    weights.push((weights[count - 1] * arrivals) / (Math.min(count, lanes) * rate));
  const total = sum(weights);
  const shares = weights.map((weight) => weight / total);
  const refused = shares[room];
  const inside = sum(shares.map((share, count) => share * count));
  const taken = shares.slice(0, room).map((share) => share / (1 - refused));
  const longerThan = (time) => sum(taken.map((share, count) => share * tailOf(time, count - lanes + 1, rate, lanes)));
  return {
    refused,
    inside,
    stay: inside / (arrivals * (1 - refused)),
    /** The share of a lane that is busy. */
    load: (arrivals * (1 - refused) * service) / lanes,
    /** The share of calls that stay longer. */
    longerThan,
    /** How long those that are in it take to end, if no more come. */
    drain: sum(shares.map((share, count) => share * timeToEmpty(count, rate, lanes))),
  };
}

/** A call with so many before it stays that much longer than its own time: Erlang and exponential. */
function tailOf(time, before, rate, lanes) {
  if (time <= 0) return 1;
  if (before <= 0) return Math.exp(-rate * time);
  const all = lanes * rate;
  const rest = all - rate;
  const own = Math.exp(-rate * time) * (all / rest) ** before * (1 - erlangTail(before, rest * time));
  return Math.min(1, erlangTail(before, all * time) + own);
}

/** That the sum of `count` exponentials of mean 1 is longer than `time`. */
function erlangTail(count, time) {
  let term = Math.exp(-time);
  let tail = term;
  for (let at = 1; at < count; at++) {
    term *= time / at;
    tail += term;
  }
  return tail;
}

function timeToEmpty(count, rate, lanes) {
  let time = 0;
  for (let left = count; left > 0; left--) time += 1 / (Math.min(left, lanes) * rate);
  return time;
}

/** The time that a share `1 - share` of calls does not exceed, by the tail of their distribution. */
export function quantile(longerThan, share, most = 60) {
  let low = 0;
  let high = most;
  for (let step = 0; step < 50; step++) {
    const middle = (low + high) / 2;
    if (longerThan(middle) > share) low = middle;
    else high = middle;
  }
  return high;
}

/** Refused calls try again elsewhere, which is load too: the rate at which they come, and those refused each time. */
export function withRetries({ arrivals, retries, ...rest }) {
  let offered = arrivals;
  for (let round = 0; round < 200; round++) {
    const { refused } = station({ arrivals: offered, ...rest });
    let attempts = 0;
    for (let attempt = 0; attempt <= retries; attempt++) attempts += refused ** attempt;
    offered = arrivals * attempts;
  }
  const at = station({ arrivals: offered, ...rest });
  return { ...at, offered, failed: at.refused ** (retries + 1) };
}

/** The mean wait at a server that takes loads of several sizes in turn (Pollaczek and Khinchine), and how busy it is. */
export function queue(loads) {
  const busy = sum(loads.map(({ rate, time }) => rate * time));
  const wait = sum(loads.map(({ rate, time }) => rate * time * time)) / (2 * (1 - busy));
  return { busy, wait };
}

/**
 * Signs of life: the first when a call is `first` old, the second between three quarters of a `beat` and a whole one
 * later, the others three quarters of a beat apart. How many more than the first a call gives on average, and how long
 * the last one was ago, on average, when its worker dies.
 */
export function signsOfLife({ longerThan, stay }, first, beat) {
  const step = beat / 500;
  let more = 0;
  let silence = 0;
  for (let at = 0; at < 10_000; at++) {
    const age = (at + 0.5) * step;
    const share = (longerThan(age) * step) / stay;
    for (let point = 0; point < 10; point++) {
      const second = first + (0.75 + (point + 0.5) / 40) * beat;
      const since = age < first ? age : age < second ? age - first : (age - second) % (0.75 * beat);
      silence += (share * since) / 10;
    }
  }
  for (let point = 0; point < 10; point++)
    for (let age = first + (0.75 + (point + 0.5) / 40) * beat; age < 20 * beat; age += 0.75 * beat)
      more += longerThan(age) / 10;
  return { more, silence };
}

export function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}
