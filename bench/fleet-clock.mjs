// The clock of the simulation in bench/fleet.mjs, and its dice: the same seed gives the same run.

/** Things to do, by their time: a heap of times, and beside it what is done at each. */
export class Clock {
  now = 0;
  #size = 0;
  #times = new Float64Array(1 << 20);
  #places = new Int32Array(1 << 20);
  #runs = [];
  #ones = [];
  #others = [];
  #free = [];

  at(time, run, one, other) {
    const times = this.#times;
    const places = this.#places;
    const place = this.#free.pop() ?? this.#runs.length;
    this.#runs[place] = run;
    this.#ones[place] = one;
    this.#others[place] = other;
    let at = this.#size++;
    while (at > 0) {
      const above = (at - 1) >> 2;
      if (times[above] <= time) break;
      times[at] = times[above];
      places[at] = places[above];
      at = above;
    }
    times[at] = time;
    places[at] = place;
  }

  runUntil(end) {
    while (this.#size > 0 && this.#times[0] <= end) {
      this.now = this.#times[0];
      const place = this.#places[0];
      const [run, one, other] = [this.#runs[place], this.#ones[place], this.#others[place]];
      this.#ones[place] = this.#others[place] = undefined;
      this.#free.push(place);
      this.#takeFirst();
      run(one, other);
    }
    this.now = end;
  }

  #takeFirst() {
    const times = this.#times;
    const places = this.#places;
    const size = --this.#size;
    const time = times[size];
    let at = 0;
    for (;;) {
      const from = 4 * at + 1;
      if (from >= size) break;
      let least = from;
      const to = Math.min(from + 4, size);
      for (let child = from + 1; child < to; child++) if (times[child] < times[least]) least = child;
      if (times[least] >= time) break;
      times[at] = times[least];
      places[at] = places[least];
      at = least;
    }
    times[at] = time;
    places[at] = places[size];
  }
}

/** Seeded dice (a xorshift of 128 bits). */
export function dice(seed) {
  let [a, b, c, d] = [seed | 0, 0x9e3779b9, 0x243f6a88, 0xb7e15162];
  const uniform = () => {
    const t = a ^ (a << 11);
    a = b;
    b = c;
    c = d;
    d = d ^ (d >>> 19) ^ t ^ (t >>> 8);
    return ((d >>> 0) + 0.5) / 4294967296;
  };
  for (let round = 0; round < 20; round++) uniform();
  return {
    uniform,
    exponential: (mean) => -mean * Math.log(uniform()),
    below: (count) => Math.floor(uniform() * count),
  };
}
