// The brokers of the simulation: servers of one cluster, each of which takes its messages in turn.

/** Messages pass the server of their sender, and that of their receiver where it is another one. */
export function brokers({ brokerCount, messageTime, leg, workers, random }) {
  const free = new Float64Array(brokerCount);
  const of = (caller) => caller % brokerCount;
  let counts = nothing();

  function take(broker, time, deliveries) {
    const start = Math.max(time, free[broker]);
    free[broker] = start + deliveries * messageTime;
    counts.deliveries += deliveries;
    counts.visits++;
    counts.waited += start - time;
    return free[broker] - time;
  }

  return {
    /** When it has passed; a message that is sent sooner arrives sooner, so that the order is kept. */
    pass(now, caller, workersBroker) {
      const time = now + leg;
      const callersBroker = of(caller);
      counts.messages++;
      let passed = time + take(callersBroker, time, 1);
      if (workersBroker !== undefined && workersBroker !== callersBroker) passed += take(workersBroker, time, 1);
      return passed;
    },
    /** One question to every worker, and their answers. */
    discover(now, caller) {
      const share = workers / brokerCount;
      counts.discoveries++;
      for (let broker = 0; broker < brokerCount; broker++)
        take(broker, now + leg, broker === of(caller) ? share + workers : 2 * share);
    },
    /** One message to every caller. */
    tell(now, callers) {
      counts.news++;
      for (let broker = 0; broker < brokerCount; broker++) take(broker, now + leg, callers / brokerCount);
    },
    choose: () => random.below(brokerCount),
    reset: () => {
      counts = nothing();
    },
    seen: (seconds) => ({
      messages: counts.messages / seconds,
      deliveries: counts.deliveries / seconds,
      discoveries: counts.discoveries / seconds,
      news: counts.news / seconds,
      brokerBusy: (counts.deliveries * messageTime) / seconds / brokerCount,
      brokerWait: counts.waited / counts.visits,
    }),
  };
}

function nothing() {
  return { messages: 0, deliveries: 0, visits: 0, waited: 0, discoveries: 0, news: 0 };
}
