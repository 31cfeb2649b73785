import type { McpConfig } from "../../gateway/config/config.js";
import { type NamedSecret, sourceSecrets } from "../../gateway/config/source-secrets.js";
import { variableName } from "../../gateway/config/variables.js";
import { isRecord, type JsonRecord } from "../../json/value.js";
import { uniqueName } from "../../registry/portable-name.js";

/** Puts variables in the place of secrets, for a file that may be shown to others. */
export interface SecretKeeper {
  /** The source as it may be written. */
  keep(name: string, config: McpConfig): McpConfig;
  /** The variables that must be set, with the sources that need them. */
  readonly variables: ReadonlyMap<string, readonly string[]>;
}

export function createSecretKeeper(): SecretKeeper {
  const texts = new Map<string, string>();
  const variables = new Map<string, string[]>();
  const need = (variable: string, source: string): string => {
    const sources = variables.get(variable) ?? [];
    if (!sources.includes(source)) variables.set(variable, [...sources, source]);
    return `\${${variable}}`;
  };
  const variableFor = (source: string, { name, text, isVariable = false }: NamedSecret): string => {
    const isFree = (variable: string): boolean => (texts.get(variable) ?? text) === text;
    const isOwn = isVariable && /^[A-Za-z_]\w*$/.test(name) && isFree(name);
    const wanted = isOwn ? name : variableName(source, name.replace(/^x-/i, ""));
    const variable = isFree(wanted) ? wanted : uniqueName(wanted, texts);
    texts.set(variable, text);
    return variable;
  };
  return {
    variables,
    keep(name, config) {
      const found = smallest(sourceSecrets(config as unknown as JsonRecord).filter(({ text }) => !text.includes("${")));
      const written = mapTexts(config, (text) =>
        replaceSecrets(text, found, (one) => need(variableFor(name, one), name)),
      );
      return mapTexts(written, (text) => ownReferences(text, (variable) => need(variable, name))) as McpConfig;
    },
  };
}

/** Without those that have another one in them: of `Bearer abc` only `abc` goes. */
function smallest(secrets: readonly NamedSecret[]): readonly NamedSecret[] {
  return secrets
    .filter(({ text }) => !secrets.some((other) => other.text !== text && text.includes(other.text)))
    .sort((a, b) => b.text.length - a.text.length);
}

/** What is no secret has its dollars doubled where they would mean something. */
function replaceSecrets(
  text: string,
  secrets: readonly NamedSecret[],
  reference: (secret: NamedSecret) => string,
): string {
  const found = secrets.find((secret) => text.includes(secret.text));
  if (found === undefined) return text.replaceAll("$$", "$$$$$$$$");
  const [before = "", ...after] = text.split(found.text);
  return [before, ...after].map((part) => replaceSecrets(part, secrets, reference)).join(reference(found));
}

/** Variables as other programs write them, in our way. What an editor would ask for is a variable too. */
function ownReferences(text: string, need: (variable: string) => string): string {
  return text.replaceAll(/\$\{(env:|input:)([^}]*)\}/g, (_, kind: string, name: string) =>
    need(kind === "env:" ? name : variableName(name)),
  );
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, mapTexts(field, change)]));
}
