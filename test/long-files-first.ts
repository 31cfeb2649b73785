import { BaseSequencer, type TestSpecification } from "vitest/node";

/** What takes longest, longest first. Where no run was before, nobody else knows, and the last file to start is waited for. */
const LONG_FILES = [
  "nats-faults",
  "mcp-conformance",
  "mcp-hostile",
  "script-round-trip",
  "nats-faults-cluster",
  "types-budget",
  "mcp-round-trip",
  "script-flood",
  "gateway-clients",
  "openapi-mocks",
  "declared-types",
  "docs-commands",
  "mcp-hostile-http",
  "script-hostile",
  "script-crowd",
  "example-gateway",
  "http-openapi",
  "openapi-corpus",
].map((name) => `/test/${name}.test.ts`);

export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const others = await super.sort(files.filter((file) => rankOf(file) < 0));
    const long = files.filter((file) => rankOf(file) >= 0).sort((a, b) => rankOf(a) - rankOf(b));
    return [...long, ...others];
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  return LONG_FILES.findIndex((end) => moduleId.endsWith(end));
}
