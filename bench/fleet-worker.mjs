// A worker of the simulation: it takes calls up to its limit, works on some at a time, gives signs of life, and can be
// paused, drained and killed.

export class FleetWorker {
  broker;
  /** More seconds for every message to it and from it. */
  delay = 0;
  /** Its place among those that the group's requests go to. */
  place = undefined;
  /** The broker knows that it is gone, and says so to whoever asks for it. */
  isGone = false;
  #fleet;
  #running = new Set();
  #queue = [];
  #buffer = [];
  #busy = 0;
  #isPaused = false;
  #diedAt;
  #onEmpty;

  constructor(fleet) {
    this.#fleet = fleet;
    this.broker = fleet.brokers.choose();
    fleet.clock.at(fleet.clock.now + (fleet.beat / 4) * fleet.random.uniform(), this.#ring);
  }

  arrive = (attempt) => {
    const { clock, silent, beat } = this.#fleet;
    if (this.#diedAt !== undefined || this.#isPaused) {
      attempt.diedAt = this.#diedAt;
      this.#buffer.push(attempt);
      clock.at(attempt.sentAt + 2 * beat, silent, attempt);
    } else this.#take(attempt);
  };

  kill() {
    const { clock, silent, beat } = this.#fleet;
    this.#diedAt = clock.now;
    for (const attempt of this.#running) {
      attempt.version++;
      attempt.diedAt = clock.now;
      clock.at(attempt.heardAt + 2 * beat, silent, attempt);
    }
  }

  pause() {
    const { clock, silent, beat } = this.#fleet;
    this.#isPaused = true;
    for (const attempt of this.#running) {
      attempt.version++;
      attempt.left = attempt.endsAt === undefined ? undefined : attempt.endsAt - clock.now;
      clock.at(attempt.heardAt + 2 * beat, silent, attempt);
    }
  }

  /** What its callers have given up meanwhile is not begun, and not gone on with. */
  resume() {
    this.#isPaused = false;
    for (const attempt of [...this.#running]) {
      if (attempt.call.attempt !== attempt) this.#drop(attempt);
      else {
        this.#hear(attempt);
        if (attempt.left !== undefined) this.#endAfter(attempt, attempt.left);
        attempt.left = undefined;
      }
    }
    for (const attempt of this.#buffer.splice(0)) {
      if (attempt.call.attempt === attempt) this.#take(attempt);
      else this.#fleet.seen.stale++;
    }
  }

  /** Calls back when all that it has taken has ended. */
  drain(onEmpty) {
    this.#onEmpty = onEmpty;
    this.#lookWhetherEmpty();
  }

  #take(attempt) {
    const { clock, random, room, lanes, firstSign } = this.#fleet;
    if (this.#running.size >= room) return this.#send(attempt, "refusals");
    this.#running.add(attempt);
    clock.at(clock.now + firstSign * (1 + random.uniform()), this.#sign, attempt);
    attempt.begunAt = clock.now;
    if (this.#busy < lanes) this.#start(attempt);
    else this.#queue.push(attempt);
  }

  #start(attempt) {
    const { random, service, seen } = this.#fleet;
    const seconds = random.exponential(service);
    this.#busy++;
    seen.laneSeconds += seconds;
    this.#endAfter(attempt, seconds);
  }

  #endAfter(attempt, seconds) {
    const { clock } = this.#fleet;
    attempt.endsAt = clock.now + seconds;
    clock.at(attempt.endsAt, this.#end, attempt, attempt.version);
  }

  #end = (attempt, version) => {
    if (attempt.version !== version) return;
    this.#drop(attempt);
    this.#send(attempt, "ok");
  };

  #drop(attempt) {
    const { seen, clock } = this.#fleet;
    this.#running.delete(attempt);
    attempt.version++;
    if (attempt.endsAt === undefined) this.#queue.splice(this.#queue.indexOf(attempt), 1);
    else {
      this.#busy--;
      seen.ended++;
      seen.stay += clock.now - attempt.begunAt;
      const next = this.#queue.shift();
      if (next !== undefined) this.#start(next);
    }
    this.#lookWhetherEmpty();
  }

  #lookWhetherEmpty() {
    if (this.#running.size === 0) this.#onEmpty?.();
  }

  #sign = (attempt) => {
    if (!this.#running.has(attempt) || this.#isSilent) return;
    this.#fleet.seen.signs++;
    this.#hear(attempt);
  };

  /** Four times a beat all are looked at; those whose last sign is three quarters of a beat old get one. */
  #ring = () => {
    const { clock, beat, seen } = this.#fleet;
    if (this.#diedAt !== undefined || this.isGone) return;
    clock.at(clock.now + beat / 4, this.#ring);
    if (this.#isPaused) return;
    for (const attempt of this.#running) {
      if (attempt.signedAt === undefined || clock.now - attempt.signedAt < 0.75 * beat - 1e-9) continue;
      seen.beats++;
      this.#hear(attempt);
    }
  };

  get #isSilent() {
    return this.#isPaused || this.#diedAt !== undefined;
  }

  #hear(attempt) {
    const { brokers, clock, lastLeg } = this.#fleet;
    attempt.signedAt = clock.now;
    attempt.isSigned = true;
    attempt.isAsked = false;
    attempt.heardAt = brokers.pass(clock.now, attempt.call.caller, this.broker) + lastLeg() + this.delay;
  }

  #send(attempt, outcome) {
    const { brokers, clock, lastLeg, answered } = this.#fleet;
    const passed = brokers.pass(clock.now, attempt.call.caller, this.broker);
    clock.at(passed + lastLeg() + this.delay, answered, attempt, outcome);
  }
}
