import { DIALECTS, dialectNamed } from "../../dialects/all.js";
import type { Dialect } from "../../dialects/dialect.js";
import { majorOf } from "../../dialects/helper-output-rules.js";
import { CallError } from "../../envelope/call-error.js";
import type { Issue } from "../../json/issue.js";
import { told } from "../../json/told.js";
import type { OperationSpec } from "../../registry/operation.js";
import type { HelperArguments } from "./arguments.js";

/** The dialect of `--envelope`, where there is one of that name. */
export function dialectOf(name: string | undefined): Dialect | undefined {
  return name === undefined ? undefined : dialectNamed(name);
}

/** Throws where a command line says something that no helper understands, or asks for another major than there is. */
export function checkArguments({ options, issues }: HelperArguments, { version }: OperationSpec): void {
  const all = [...issues, ...optionIssues(options)];
  const [first] = all;
  if (first !== undefined)
    throw new CallError({
      category: "validation",
      message: sentence(`The command line is not understood: ${all.map(({ message }) => message).join("; ")}`),
      suggestedAction: "Call it with --help to see what it takes.",
      issues: all,
    });
  const expected = options.get("expect-major");
  if (expected !== undefined && Number(expected) !== majorOf(version)) throw otherMajor(version, expected);
}

function sentence(text: string): string {
  return text.endsWith("?") ? text : `${text}.`;
}

function* optionIssues(options: HelperArguments["options"]): Generator<Issue> {
  const [envelope, major, agent] = ["envelope", "expect-major", "agent"].map((name) => options.get(name));
  if (envelope !== undefined && dialectNamed(envelope) === undefined)
    yield issue(`--envelope takes ${DIALECTS.map(({ name }) => name).join(", ")}, not ${told(envelope)}`);
  if (major !== undefined && !/^\d+$/.test(major)) yield issue(`--expect-major takes a number, not ${told(major)}`);
  if (agent === "") yield issue("--agent takes a name");
}

function issue(message: string): Issue {
  return { path: "", message };
}

function otherMajor(version: string, expected: string): CallError {
  return new CallError({
    category: "execution",
    code: "UNSUPPORTED_VERSION",
    message: `The helper speaks version ${version}; its consumer was written for major ${expected}.`,
    recoverable: false,
    suggestedAction: "Fall back to another way, or update the consumer.",
  });
}
