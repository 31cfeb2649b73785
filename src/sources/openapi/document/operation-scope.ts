import type { Warning } from "../../../envelope/warning.js";
import { told } from "../../../json/told.js";
import { isRecord, type JsonRecord } from "../../../json/value.js";
import type { ApiDocument, Place } from "./api-document.js";
import type { IndexedOperation } from "./index-operations.js";

/** An object of the document, and the address of the file that it stands in. */
export interface RecordPlace {
  readonly value: JsonRecord;
  readonly base: string;
}

/** One operation that is being described, and what is said of its faults. */
export class OperationScope {
  readonly warnings: Warning[] = [];
  readonly document: ApiDocument;
  readonly operation: IndexedOperation;

  constructor(document: ApiDocument, operation: IndexedOperation) {
    this.document = document;
    this.operation = operation;
  }

  warn(message: string): void {
    const { method, path } = this.operation;
    this.warnings.push({ code: "NONCONFORMING", message: `${method} ${path}: ${message}` });
  }

  /** Of a parameter that no request has a place for. */
  warnOfPlace(name: string, location: unknown): undefined {
    this.warn(`The parameter ${told(name)} stands in ${told(location)}, which is no place; it is left out.`);
  }

  /** The object at a place, behind references. What is there but is none is warned of. */
  record(place: Place, what: string): RecordPlace | undefined {
    if (place.value === undefined) return undefined;
    const found = this.document.resolve(place);
    if (isRecord(found?.value)) return { value: found.value, base: found.base };
    const reference = isRecord(place.value) ? place.value["$ref"] : undefined;
    const why =
      reference === undefined
        ? `is ${told(place.value)}, not an object`
        : `refers to ${told(reference)}, which is not there`;
    this.warn(`${what} ${why}; it is left out.`);
    return undefined;
  }

  /** The objects of a map, such as `content`. */
  records(place: Place, what: string): [string, RecordPlace][] {
    const map = this.record(place, what);
    if (map === undefined) return [];
    return Object.keys(map.value).flatMap((key) => {
      const value = map.value[key];
      // An extension, unless it is the name of something.
      if (key.startsWith("x-") && !isRecord(value)) return [];
      const found = this.record({ value, base: map.base }, `${what} ${told(key)}`);
      return found === undefined ? [] : [[key, found]];
    });
  }
}
