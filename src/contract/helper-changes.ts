import { isCarried } from "../dialects/carried.js";
import { HELPER_KEYS } from "../dialects/helper-output-rules.js";
import { type JsonRecord, omit } from "../json/value.js";
import { shapeOf } from "./shape.js";
import { levelDue, type ShapeChange, shapeChanges, type UnseenPlace, unseenPlaces } from "./shape-changes.js";
import { compareVersions, isBumped, type VersionPart, versionDue } from "./version-bump.js";

/** What came of a helper's output between two runs. */
export interface HelperChanges {
  readonly version: { readonly before: string; readonly after: string };
  /** What the changes ask for, whether it was done or not; `null` without changes. */
  readonly due: { readonly level: VersionPart; readonly version: string } | null;
  readonly changes: readonly ShapeChange[];
  readonly unseen: readonly UnseenPlace[];
  /** The version has gone up by what is due, or did not go down where nothing is. */
  readonly isSound: boolean;
}

/** Compares the shapes of what two valid documents of helper-output hold beside the fields that all of them have. */
export function helperChanges(before: JsonRecord, after: JsonRecord): HelperChanges {
  const version = { before: String(before["schema_version"]), after: String(after["schema_version"]) };
  const [was, is] = [shapeOf(ownFields(before)), shapeOf(ownFields(after))];
  const changes = shapeChanges(was, is);
  const level = levelDue(changes);
  return {
    version,
    due: level === undefined ? null : { level, version: versionDue(version.before, level) },
    changes,
    unseen: unseenPlaces(was, is),
    isSound:
      level === undefined
        ? compareVersions(version.before, version.after) <= 0
        : isBumped(version.before, version.after, level),
  };
}

function ownFields(document: JsonRecord): JsonRecord {
  const { plico } = document;
  // What Plico wrote beside the helper's words is not the helper's, unless it is the data itself.
  const foreign = isCarried(plico) && !("data" in plico) ? ["plico"] : [];
  return omit(document, [...HELPER_KEYS, "skipped_sources", ...foreign]);
}
