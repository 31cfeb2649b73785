import fc from "fast-check";
import { expect, test } from "vitest";
import { CallList, type Listed } from "./call-list.js";

class Call implements Listed<Call> {
  before: Call | undefined;
  after: Call | undefined;
  turn = 0;
}

test("a list has what a list of numbers would have, whatever is taken out of it", () => {
  const step = fc.oneof(fc.constant("add" as const), fc.constant("due" as const), fc.nat(20));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
      const list = new CallList<Call>();
      const made: Call[] = [];
      let model: Call[] = [];
      for (const [turn, each] of steps.entries()) {
        if (each === "add") {
          const call = new Call();
          made.push(call);
          list.add(call, turn + 1);
          model.push(call);
        } else if (each === "due") {
          const due = model[0] !== undefined && model[0].turn <= turn - 3 ? model[0] : undefined;
          expect(list.takeDue(turn - 3)).toBe(due);
          model = model.filter((call) => call !== due);
        } else {
          const call = made[each];
          if (call !== undefined) list.delete(call);
          model = model.filter((other) => other !== call);
        }
        expect(list.isEmpty).toBe(model.length === 0);
      }
      for (const call of model) expect(list.takeDue(1000)).toBe(call);
    }),
  );
});
