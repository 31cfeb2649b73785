import { orElse } from "../../../json/attempt.js";
import { type ServerSentEvent, SseReader } from "../../sse-reader.js";
import { brokenItem, brokenJson, itemTooLarge, MOST_ITEM_LENGTH } from "./answer-errors.js";

/** One value of a stream. */
export interface StreamItem {
  readonly value: unknown;
  /** Of server-sent events: the name of the event, its id and its data as they came. */
  readonly sent?: ServerSentEvent;
  /** The stream ended within it. */
  readonly isCut?: boolean;
}

export interface ItemReaderOptions {
  readonly operationId: string;
  /** Whether a bare word or number in an event is JSON, and not itself. */
  readonly expectsJson: boolean;
  /** @default MOST_ITEM_LENGTH */
  readonly mostLength?: number;
}

/** Takes text that is split anywhere, and gives the values that have become whole, also those before one that is broken. */
export interface ItemReader {
  push(text: string): Iterable<StreamItem>;
  /** What was left when the stream ended. */
  end(): Iterable<StreamItem>;
}

/** JSON after JSON: a line each, or behind a record separator each (RFC 7464). */
export function recordReader(separator: "\n" | "\u001e", options: ItemReaderOptions): ItemReader {
  const { operationId, mostLength = MOST_ITEM_LENGTH } = options;
  let parts: string[] = [];
  let length = 0;
  let position = 0;
  const add = (text: string): void => {
    length += text.length;
    if (length > mostLength) throw itemTooLarge(operationId, mostLength);
    parts.push(text);
  };
  const take = (): StreamItem[] => {
    const record = parts.join("").trim();
    parts = [];
    length = 0;
    if (record === "") return [];
    position += 1;
    try {
      return [{ value: JSON.parse(record) as unknown }];
    } catch (thrown) {
      throw brokenItem(operationId, record, position, thrown);
    }
  };
  return {
    *push(text) {
      const [first = "", ...others] = text.split(separator);
      add(first);
      for (const other of others) {
        yield* take();
        add(other);
      }
    },
    end: take,
  };
}

/** Server-sent events. Their data is JSON where it is an object or a list, else a text, unless JSON is expected. */
export function eventReader(options: ItemReaderOptions): ItemReader {
  const { operationId, mostLength = MOST_ITEM_LENGTH } = options;
  let events: ServerSentEvent[] = [];
  const reader = new SseReader({ onEvent: (event) => events.push(event) });
  function* push(text: string, isCut: boolean): Generator<StreamItem> {
    reader.push(text);
    const found = events;
    events = [];
    for (const sent of found) {
      if (sent.data.length > mostLength) throw itemTooLarge(operationId, mostLength);
      yield { value: parsedData(sent.data, options.expectsJson), sent, ...(isCut && { isCut }) };
    }
    if (reader.unreadLength > mostLength) throw itemTooLarge(operationId, mostLength);
  }
  return {
    push: (text) => push(text, false),
    end: () => (reader.unreadLength === 0 ? [] : push("\n\n", true)),
  };
}

function parsedData(data: string, expectsJson: boolean): unknown {
  return expectsJson || /^\s*[[{]/.test(data) ? orElse<unknown>(() => JSON.parse(data), data) : data;
}

/** A body that is called JSON: one document, or one a line, which is seen when the first line is whole. */
export function jsonReader(options: ItemReaderOptions): ItemReader {
  const { operationId, mostLength = MOST_ITEM_LENGTH } = options;
  let text = "";
  let lines: ItemReader | undefined;
  let isWhole = false;
  return {
    push(more) {
      if (lines !== undefined) return lines.push(more);
      text += more;
      if (text.length > mostLength) throw itemTooLarge(operationId, mostLength);
      const end = isWhole || !more.includes("\n") ? -1 : lineEnd(text);
      if (end < 0) return [];
      isWhole = !isJson(text.slice(0, end));
      if (isWhole) return [];
      lines = recordReader("\n", options);
      return lines.push(text);
    },
    end() {
      if (lines !== undefined) return lines.end();
      if (text.trim() === "") return [];
      try {
        return [{ value: JSON.parse(text) as unknown }];
      } catch (thrown) {
        throw brokenJson(operationId, text, thrown);
      }
    },
  };
}

/** Where the first line ends that is not blank. */
function lineEnd(text: string): number {
  const start = text.search(/\S/);
  return start < 0 ? -1 : text.indexOf("\n", start);
}

function isJson(text: string): boolean {
  return orElse(() => JSON.parse(text) !== undefined, false);
}
