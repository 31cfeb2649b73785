import { type BusLaw, deferred, FAILURE, handled } from "./bus-stage.js";
import { assert, assertEqual } from "./laws.js";

/** The call protocol over a bus that loses nothing. */
export const CALL_LAWS: Readonly<Record<string, BusLaw>> = {
  "brings each answer to its caller": async (stage) => {
    const { map, other } = stage.connect();
    const calls = Array.from({ length: 50 }, (_, at) => (at % 2 === 0 ? map : other).call("test.echo", at));
    const answers = await stage.within(Promise.all(calls), "fifty answers");
    assertEqual(
      answers.map(({ data }) => data),
      calls.map((_, at) => at),
      "an answer went astray",
    );
    assertEqual([map.counts, other.counts], [NOTHING, NOTHING], "events came that nobody asked for");
  },
  "brings null for undefined, and an absent input": async (stage) => {
    const { map } = stage.connect();
    assertEqual((await stage.within(map.call("test.echo"), "an answer")).data, null, "the data changed");
    assertEqual((await stage.within(map.call("test.echo", false), "an answer")).data, false, "the data changed");
  },
  "brings every field of an error": async (stage) => {
    const { map } = stage.connect();
    assertEqual((await stage.failure(map.call("test.fail"))).toJSON(), FAILURE.toJSON(), "the error changed");
  },
  "brings progress": async (stage) => {
    const { map } = stage.connect();
    const seen: unknown[] = [];
    await stage.within(map.call("test.slow", 1, { onProgress: (progress) => seen.push(progress) }), "an answer");
    assertEqual(seen, [{ progress: 1, total: 2 }], "the progress changed");
  },
  "brings an abort to the handler": async (stage) => {
    const { map, aborted } = stage.connect();
    const controller = new AbortController();
    const started = deferred();
    const call = map.call("test.wait", 1, { signal: controller.signal, onProgress: () => started.resolve() });
    const failed = handled(stage.failure(call));
    await stage.within(started.promise, "the call to begin");
    controller.abort();
    assertEqual((await failed).code, "ABORTED", "the caller got another error");
    await stage.within(aborted, "the handler's signal");
  },
  "brings the end of a deadline to the caller and to the handler": async (stage) => {
    const { map, aborted } = stage.connect();
    let hasBegun = false;
    const onProgress = () => {
      hasBegun = true;
    };
    // On a busy machine a short deadline may pass before the call begins.
    for (let ms = 50; !hasBegun && ms < 2000; ms *= 3) {
      const failed = await stage.failure(map.call("test.wait", 1, { deadline: Date.now() + ms, onProgress }));
      assertEqual(failed.code, "TIMEOUT", "the caller got another error");
    }
    await stage.within(aborted, "the handler's signal");
  },
  "brings the values of a subscription in order, and their end": async (stage) => {
    const { map } = stage.connect();
    const seen: unknown[] = [];
    const loop = async () => {
      for await (const { data } of map.subscribe("test.count", 100, { credit: 8 })) seen.push(data);
    };
    await stage.within(loop(), "the end of the subscription");
    assertEqual(
      seen,
      Array.from({ length: 100 }, (_, at) => at),
      "values were lost",
    );
  },
  "lets a slow consumer bound its producer, and its break stop it": async (stage) => {
    const { map, produced, stopped } = stage.connect();
    const values = map.subscribe("test.count", 1_000_000, { credit: 4 });
    for (let consumed = 1; consumed <= 10; consumed += 1) {
      await stage.within(values.next(), "a value");
      if (consumed === 10) await stage.quiet();
      assert(produced() <= consumed + 4, `${produced()} values were produced when ${consumed} were consumed`);
    }
    await values.return(undefined);
    await stage.within(stopped, "the generator to stop");
  },
  "lets a worker drain": async (stage) => {
    const { map, handler, release } = stage.connect();
    const started = deferred();
    const running = handled(map.call("test.wait", 1, { onProgress: () => started.resolve() }));
    await stage.within(started.promise, "the call to begin");
    const closed = handler.close();
    const refused = await stage.failure(map.call("test.echo", 1));
    assertEqual([refused.code, refused.recoverable], ["UNAVAILABLE", true], "a draining worker took a call");
    release();
    assertEqual((await stage.within(running, "the running call")).data, "released", "the running call was lost");
    await stage.within(closed, "the worker to close");
  },
};

const NOTHING = { late: 0, duplicate: 0, unknown: 0, malformed: 0, unconfirmed: 0 };
