import { isEqual, isRecord, type JsonRecord } from "../json/value.js";
import * as say from "./issue-messages.js";
import { fail, inside, type Report } from "./issue-report.js";
import { isMultipleOf, isUnique, lengthOf } from "./measures.js";
import { type Node, typeOf } from "./node.js";

/** What a node says of the value itself, not of its parts. */
export function checkOwn(node: Node, value: unknown, report: Report | undefined): boolean {
  if (node.never === true) return fail(report, "false", say.never);
  if (!checkType(node, value, report)) return false;
  const { values } = node;
  if (values !== undefined && !values.some((allowed) => isEqual(allowed, value))) {
    return report !== undefined && fail(report, values.length === 1 ? "const" : "enum", say.values(values, value));
  }
  if (typeof value === "number") return checkNumber(node, value, report);
  if (typeof value === "string") return checkString(node, value, report);
  if (Array.isArray(value)) return checkArray(node, value, report);
  return isRecord(value) ? checkObject(node, value, report) : true;
}

export function checkType({ types }: Node, value: unknown, report: Report | undefined): boolean {
  if (types === undefined || (types & typeOf(value)) !== 0) return true;
  // Of alternatives most fail, and no one asks why.
  return report !== undefined && fail(report, "type", say.type(types, value));
}

function checkNumber(node: Node, value: number, report: Report | undefined): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = node;
  if (minimum !== undefined && value < minimum) return fail(report, "minimum", say.minimum(minimum));
  if (maximum !== undefined && value > maximum) return fail(report, "maximum", say.maximum(maximum));
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum)
    return fail(report, "exclusiveMinimum", say.above(exclusiveMinimum));
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum)
    return fail(report, "exclusiveMaximum", say.below(exclusiveMaximum));
  if (multipleOf !== undefined && !isMultipleOf(value, multipleOf))
    return fail(report, "multipleOf", say.multipleOf(multipleOf));
  return true;
}

function checkString({ minLength, maxLength, pattern }: Node, value: string, report: Report | undefined): boolean {
  if (minLength !== undefined && lengthOf(value) < minLength)
    return fail(report, "minLength", say.minLength(minLength, value));
  if (maxLength !== undefined && lengthOf(value) > maxLength)
    return fail(report, "maxLength", say.maxLength(maxLength));
  return pattern === undefined || pattern.test(value) || fail(report, "pattern", say.pattern(pattern.source));
}

function checkArray({ minItems, maxItems, unique }: Node, value: unknown[], report: Report | undefined): boolean {
  if (minItems !== undefined && value.length < minItems) return fail(report, "minItems", say.minItems(minItems));
  if (maxItems !== undefined && value.length > maxItems) return fail(report, "maxItems", say.maxItems(maxItems));
  return unique !== true || isUnique(value) || fail(report, "uniqueItems", say.unique);
}

function checkObject(node: Node, value: JsonRecord, report: Report | undefined): boolean {
  const { required, minProperties, maxProperties, dependentRequired } = node;
  let valid = true;
  for (const name of required ?? [])
    if (!hasField(value, name)) valid = fail(inside(report, name), "required", say.required);
  for (const [present, names] of dependentRequired ?? []) {
    if (!hasField(value, present)) continue;
    for (const name of names) {
      if (!hasField(value, name)) valid = fail(inside(report, name), "dependentRequired", say.requiredBy(present));
    }
  }
  if (minProperties !== undefined || maxProperties !== undefined) {
    const count = Object.keys(value).filter((key) => value[key] !== undefined).length;
    if (count < (minProperties ?? 0)) valid = fail(report, "minProperties", say.minProperties(minProperties ?? 0));
    if (count > (maxProperties ?? count)) valid = fail(report, "maxProperties", say.maxProperties(maxProperties ?? 0));
  }
  return valid;
}

/** A key that holds `undefined` is absent: JSON would not write it. */
export function hasField(value: unknown, name: string): boolean {
  return isRecord(value) && Object.hasOwn(value, name) && value[name] !== undefined;
}
