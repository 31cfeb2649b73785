import { readFile } from "node:fs/promises";
import { isCallError } from "../envelope/call-error.js";
import { shownPath } from "../gateway/config/config-errors.js";
import type { LoadedConfig } from "../gateway/config/loaded-config.js";
import { configFailure, fileFindings } from "../gateway/doctor/file-findings.js";
import { countFindings, type Finding, sortedFindings } from "../gateway/doctor/finding.js";
import { programFindings } from "../gateway/doctor/program-findings.js";
import { createRedactor } from "../gateway/redact.js";
import { type Call, type Command, usageError } from "./command.js";
import { findingsText } from "./doctor-text.js";
import type { Io } from "./io.js";
import { configOf, SOURCE_FLAGS, withGateway } from "./sources.js";
import { interruptible } from "./terminal/interruption.js";
import { tell } from "./terminal/tell.js";
import { ownVersion } from "./version.js";

export const doctorCommand: Command = {
  name: "doctor",
  usage: "[--json] [source options]",
  summary: `Looks at Node, the file, each source and the tools that clients would see, and tells what is wrong and what to do. It
opens every source, and calls no operation.`,
  takes: "words",
  flags: {
    json: {
      type: "boolean",
      help: 'print { "summary": { fail, warn, ok }, "findings": [{ level, about, message, fix }] }',
    },
    ...SOURCE_FLAGS,
  },
  notes: ["Exit codes: 0; 1 where something fails."],
  async run(call, io) {
    if (call.words.length > 0) throw usageError(doctorCommand, `"${call.words[0]}" is one word too many`);
    const findings = sortedFindings([...programFindings(programFacts()), ...(await configFindings(call, io))]);
    const summary = countFindings(findings);
    if (call.flag("json")) io.stdout.write(`${JSON.stringify({ summary, findings }, null, 2)}\n`);
    else tell(io.stdout, findingsText(findings, io));
    return summary.fail > 0 ? 1 : 0;
  },
};

function programFacts(): Parameters<typeof programFindings>[0] {
  return { node: process.version, plico: ownVersion(), file: process.argv[1] ?? process.execPath };
}

/** What there is to say of the configuration, and of all that it leads to. */
async function configFindings(call: Call, io: Io): Promise<readonly Finding[]> {
  const isAdHoc = Object.keys(SOURCE_FLAGS).some((flag) => call.values(flag).length > 0 && flag !== "config");
  const loaded = await (isAdHoc ? configOf(doctorCommand, call, io) : fromFile(call, io)).catch((thrown: unknown) => {
    if (!isCallError(thrown)) throw thrown;
    return configFailure(thrown);
  });
  if (!("config" in loaded)) return loaded;
  const findings = [...(await ofFile(loaded, io)), ...(await ofGateway(loaded, io))];
  return createRedactor(loaded.secrets).value(findings) as readonly Finding[];
}

async function fromFile(call: Call, io: Io): Promise<LoadedConfig> {
  const { loadConfig } = await import("../gateway/config/load-config.js");
  return loadConfig({ cwd: io.cwd(), env: io.env, file: call.value("config") });
}

async function ofFile({ file, config, notes }: LoadedConfig, io: Io): Promise<readonly Finding[]> {
  if (file === undefined) return [];
  const { otherFiles } = await import("../gateway/doctor/other-files.js");
  const name = shownPath(file, io.cwd());
  const others = (await otherFiles(io.cwd())).filter((other) => other.name !== name);
  return fileFindings({ name, text: await readFile(file, "utf8"), config, notes, others });
}

async function ofGateway(loaded: LoadedConfig, io: Io): Promise<readonly Finding[]> {
  const [facts, { sourceFindings }, { toolFindings }] = await Promise.all([
    import("../gateway/doctor/gateway-facts.js"),
    import("../gateway/doctor/source-findings.js"),
    import("../gateway/doctor/tool-findings.js"),
  ]);
  const ofFiles = await ofCommands(loaded);
  // A source whose file is not there may open all the same, and is not well.
  const isSound = ({ health }: { readonly health: { readonly name: string } }): boolean =>
    !ofFiles.some(({ about }) => about === health.name);
  const found = await interruptible(io, (signal) =>
    withGateway({ loaded, signal, io }, async (gateway) => {
      const tools = facts.toolsFacts(gateway);
      return [
        ...facts.sourceFacts(gateway).filter(isSound).flatMap(sourceFindings),
        ...(tools === undefined ? [] : toolFindings(tools)),
      ];
    }),
  );
  return [...found, ...ofFiles, ...(await ofServers(loaded)), ...(await ofNats(loaded))];
}

async function ofCommands({ config, folder }: LoadedConfig): Promise<readonly Finding[]> {
  const { commandFindings } = await import("../gateway/doctor/command-findings.js");
  const sources = Object.entries(config.sources).filter(([, { disabled }]) => disabled !== true);
  return (await Promise.all(sources.map(([name, source]) => commandFindings(name, source, folder)))).flat();
}

async function ofServers({ file, config: { servers = {} } }: LoadedConfig): Promise<readonly Finding[]> {
  if (file === undefined) return [];
  const [{ serverFindings }, { whoListens }] = await Promise.all([
    import("../gateway/doctor/server-findings.js"),
    import("../gateway/doctor/who-listens.js"),
  ]);
  const { host = "127.0.0.1", port = 4100 } = servers.http ?? {};
  return serverFindings({ servers, host, port, listener: port === 0 ? "none" : await whoListens(host, port) });
}

/** Whether a worker could start. */
async function ofNats(loaded: LoadedConfig): Promise<readonly Finding[]> {
  if (loaded.config.servers?.nats?.url === undefined) return [];
  const { natsFinding } = await import("../gateway/doctor/nats-finding.js");
  return [await natsFinding(loaded)];
}
