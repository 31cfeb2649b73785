import { CallError } from "../../envelope/call-error.js";
import type { TraceCarrier } from "../../envelope/trace-context.js";
import { orElse } from "../../json/attempt.js";
import type { JsonRecord } from "../../json/value.js";
import { BUDGET_KEY, type Era } from "../../mcp/keys.js";

/** A request as text. The parameters are put into JSON once; what every request says of its sender is text already. */
export type Encode = (id: number) => string;

/** Writes requests for one connection. */
export class RequestEncoder {
  /** The fields of `_meta` that each request has in this era, each followed by a comma. */
  readonly #meta: string;

  constructor(era: Era, envelope: JsonRecord) {
    this.#meta = era === "legacy" ? "" : `${JSON.stringify(envelope).slice(1, -1)},`;
  }

  request(method: string, params: JsonRecord): Encode {
    const fields = JSON.stringify(params).slice(1, -1);
    const meta = this.#meta === "" ? "" : `"_meta":{${this.#meta.slice(0, -1)}}`;
    const both = [fields, meta].filter((part) => part !== "").join(",");
    return (id) => `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":{${both}}}`;
  }

  /** Plico's servers shorten what is meant for a model's eyes; this is a program, and wants the whole result. */
  call(name: string, input: unknown, answers: JsonRecord | undefined, trace?: TraceCarrier): Encode {
    const given = toJson("input", input === undefined ? {} : input);
    const said = answers === undefined ? "" : toJson("metadata", answers).slice(1, -1);
    const more = said === "" ? "" : `,${said}`;
    const traced = trace === undefined ? "" : `${JSON.stringify(trace).slice(1, -1)},`;
    return (id) =>
      `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":${JSON.stringify(name)},"arguments":${given},` +
      `"_meta":{${this.#meta}${traced}"${BUDGET_KEY}":false,"progressToken":${id}}${more}}}`;
  }

  notification(method: string, params: JsonRecord): JsonRecord {
    const meta = this.#meta === "" ? {} : { _meta: JSON.parse(`{${this.#meta.slice(0, -1)}}`) };
    return { jsonrpc: "2.0", method, params: { ...params, ...meta } };
  }
}

function toJson(what: string, value: unknown): string {
  const text = orElse<string | undefined>(() => JSON.stringify(value), undefined);
  if (text !== undefined) return text;
  throw new CallError({ category: "validation", message: `The ${what} of the call cannot be written as JSON.` });
}
