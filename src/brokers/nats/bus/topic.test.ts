import { expect, test } from "vitest";
import type { CallEvent } from "../../../protocol/events.js";
import { completed } from "../fixtures/bus-stage.js";
import { Topic } from "./topic.js";

function topicWithEar(): { readonly topic: Topic; readonly heard: CallEvent[] } {
  const topic = new Topic("a", () => {});
  const heard: CallEvent[] = [];
  topic.join((event) => heard.push(event));
  return { topic, heard };
}

test("what follows a large event waits for it, and others do not", () => {
  const { topic, heard } = topicWithEar();
  topic.pause("1", () => {});
  for (const event of [completed(1), completed(2, "other"), completed(3)]) topic.deliver(event);
  expect(heard).toEqual([completed(2, "other")]);
  topic.goOn("1");
  expect(heard).toEqual([completed(2, "other"), completed(1), completed(3)]);
});

test("what never comes holds back no more than fits, and there is room again once it is given up", () => {
  const { topic, heard } = topicWithEar();
  topic.pause("1", () => {});
  const delivered = Array.from({ length: 10_001 }, (_, at) => topic.deliver(completed(at)));
  expect([delivered.indexOf(false), topic.pause("1", () => {}), heard.length]).toEqual([10_000, false, 0]);
  expect(topic.deliver(completed(0, "other"))).toBe(true);
  topic.goOn("1");
  expect(heard).toHaveLength(10_001);
  topic.pause("1", () => {});
  expect(topic.deliver(completed(1))).toBe(true);
});
