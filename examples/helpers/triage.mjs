#!/usr/bin/env node
// A helper: what an agent wants to know first of a git checkout. The same file is a script and an operation.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { CallError, defineHelper, runHelper } from "plico/servers/script";

const texts = { type: "array", items: { type: "string" } };

export const triage = defineHelper({
  name: "triage",
  version: "1.0.0",
  description: "What is open in a git checkout.",
  annotations: { readOnly: true },
  inputSchema: {
    type: "object",
    properties: {
      folder: { type: "string", description: "of the checkout", default: "." },
      maxCount: { type: "integer", minimum: 1, description: "how many commits are listed", default: 3 },
    },
    additionalProperties: false,
  },
  outputSchema: {
    type: "object",
    properties: { branch: { type: "string" }, commits: texts, changed: texts, unpushed: { type: "integer" } },
    required: ["branch", "commits", "changed"],
  },
  errorSchemas: { NO_CHECKOUT: { category: "not_found" } },
  async run({ input: { folder = ".", maxCount = 3 }, signal, requires, skip }) {
    requires("git", "apt install git, or see https://git-scm.com/downloads");
    const git = (...words) => lines("git", ["-C", folder, ...words], signal);
    const [branch = ""] = await git("branch", "--show-current").catch((cause) => {
      throw new CallError({ category: "not_found", code: "NO_CHECKOUT", message: `${folder} is no checkout.`, cause });
    });
    const found = {
      branch,
      commits: await git("log", `--max-count=${maxCount}`, "--format=%s"),
      changed: (await git("status", "--porcelain=v1")).map((line) => line.slice(3)),
    };
    // What cannot be had is named, and the rest is told all the same.
    try {
      const [unpushed] = await git("rev-list", "--count", "@{upstream}..");
      return { ...found, unpushed: Number(unpushed) };
    } catch {
      skip("upstream", "the branch follows no other");
      return found;
    }
  },
});

async function lines(program, words, signal) {
  const { stdout } = await promisify(execFile)(program, words, { signal });
  return stdout.split("\n").filter((line) => line !== "");
}

await runHelper(triage, { main: import.meta });
