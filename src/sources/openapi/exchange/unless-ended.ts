import type { RequestControl } from "../http-answer.js";
import { deadlinePassed } from "./exchange-errors.js";
import { RequestWatch } from "./request-watch.js";

/** Waits no longer than the caller does; what is waited for goes on, because others may wait for it too. */
export function unlessEnded<T>(work: Promise<T>, control: RequestControl, who: string): Promise<T> {
  if (control.deadline !== undefined && control.deadline <= Date.now()) {
    work.catch(() => {});
    return Promise.reject(deadlinePassed(`${who} was asked`));
  }
  return new Promise((resolve, reject) => {
    const watch = new RequestWatch(control, who, reject);
    work.then(resolve, reject).finally(() => watch.stop());
    watch.start();
  });
}
