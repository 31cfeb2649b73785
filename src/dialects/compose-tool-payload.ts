import type { MCPResourceLink } from "../envelope/content-block.js";
import { compact, orNull } from "../json/value.js";

export type ToolResponseStatus = "ok" | "error" | "info" | "warn";

export interface ToolResponseMeta {
  status: ToolResponseStatus;
  /** One line, at most 80 characters. */
  summary: string;
  details?: string[];
  nextSteps?: string[];
  truncated?: boolean;
  tokenUsage?: { inline?: number; total?: number };
  rateLimit?: { remaining?: number; resetSeconds?: number };
}

export interface ToolResponseEnvelope<T = unknown> {
  meta: ToolResponseMeta;
  data: T;
}

export interface ComposeOptions<T> {
  readonly meta: ToolResponseMeta;
  readonly data: T;
  /** Texts that follow the details, such as a short preview. */
  readonly additionalText?: readonly string[];
  readonly resourceLinks?: readonly MCPResourceLink[];
  /** @default false */
  readonly omitMetaDetails?: boolean;
  /** @default meta.status === "error" */
  readonly isError?: boolean;
}

export interface ToolPayload<T = unknown> {
  content: ({ type: "text"; text: string } | MCPResourceLink)[];
  structuredContent: ToolResponseEnvelope<T>;
  isError: boolean;
}

export const STATUS_EMOJI: Readonly<Record<ToolResponseStatus, string>> = {
  ok: "✅",
  error: "❌",
  info: "ℹ️",
  warn: "⚠️",
};

/** An MCP result of tool-response: headline, details, further texts, links, and the envelope as structured content. */
export function composeToolPayload<T>(options: ComposeOptions<T>): ToolPayload<T> {
  const { meta, data, additionalText = [], resourceLinks = [], omitMetaDetails = false, isError } = options;
  const texts = [...(omitMetaDetails ? [] : (meta.details ?? [])), ...additionalText].filter(
    (text) => text.trim() !== "",
  );
  return {
    content: [text(headline(meta)), ...texts.map(text), ...resourceLinks],
    structuredContent: { meta: compact(meta), data: orNull(data) as T },
    isError: isError ?? meta.status === "error",
  };
}

export function headline({ status, summary }: Pick<ToolResponseMeta, "status" | "summary">): string {
  return `${STATUS_EMOJI[status]} ${summary}`;
}

function text(value: string): { type: "text"; text: string } {
  return { type: "text", text: value };
}
