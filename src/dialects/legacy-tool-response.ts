import { printJson } from "../json/printable.js";
import { compact } from "../json/value.js";
import {
  type ComposeOptions,
  composeToolPayload,
  STATUS_EMOJI,
  type ToolPayload,
  type ToolResponseMeta,
  type ToolResponseStatus,
} from "./compose-tool-payload.js";

/** The options of the builders that came before `composeToolPayload`. */
export interface LegacyResponseOptions
  extends Pick<ComposeOptions<unknown>, "resourceLinks" | "omitMetaDetails" | "isError">,
    Pick<ToolResponseMeta, "nextSteps" | "tokenUsage" | "rateLimit" | "truncated"> {
  readonly status: "success" | "ok" | "error" | "info" | "warn";
  readonly title: string;
  /** Follows the title as it is: begin it with a space where one is wanted. */
  readonly statusMessage?: string;
  readonly textSections?: readonly string[];
  /** Shown as one fenced block. */
  readonly jsonData?: unknown;
  /** Characters of `jsonData` to show. @default 20000 */
  readonly jsonPreviewLimit?: number;
}

export interface DefaultToolResponseData {
  title: string;
  statusMessage?: string;
  textSections: string[];
  nextSteps: string[];
  jsonData?: unknown;
  jsonPreview?: string;
}

/** The legacy arguments with a typed payload. */
export function buildStructuredResponse<T>(options: LegacyResponseOptions & { readonly data: T }): ToolPayload<T> {
  const { title, statusMessage = "", textSections = [], nextSteps = [], data, ...rest } = options;
  const preview = options.jsonData === undefined ? undefined : previewOf(options);
  const meta = compact({
    status: statusOf(rest.status),
    summary: title + statusMessage,
    details: [...textSections],
    nextSteps: [...nextSteps],
    truncated: rest.truncated === true || preview?.cut === true ? true : rest.truncated,
    tokenUsage: rest.tokenUsage,
    rateLimit: rest.rateLimit,
  });
  return composeToolPayload({
    meta,
    data,
    additionalText: preview === undefined ? [] : [`\`\`\`json\n${preview.text}\n\`\`\``],
    ...compact({ resourceLinks: rest.resourceLinks, omitMetaDetails: rest.omitMetaDetails, isError: rest.isError }),
  });
}

/**
 * The legacy default payload.
 * @deprecated Use `composeToolPayload` with a typed payload.
 */
export function buildToolResponse(options: LegacyResponseOptions): ToolPayload<DefaultToolResponseData> {
  const { title, statusMessage, textSections = [], nextSteps = [], jsonData } = options;
  const data = compact({
    title,
    statusMessage,
    textSections: [...textSections],
    nextSteps: [...nextSteps],
    // A copy that JSON can hold, so that a cycle or a BigInt does not break whoever sends the result.
    jsonData: jsonData === undefined ? undefined : (JSON.parse(printJson(jsonData)) as unknown),
    jsonPreview: jsonData === undefined ? undefined : previewOf(options).text,
  });
  return buildStructuredResponse({ ...options, data });
}

/** Older callers say `success`; what is no status at all is told as information. */
function statusOf(status: string): ToolResponseStatus {
  if (status === "success") return "ok";
  return Object.hasOwn(STATUS_EMOJI, status) ? (status as ToolResponseStatus) : "info";
}

function previewOf({ jsonData, jsonPreviewLimit = 20_000 }: LegacyResponseOptions): { text: string; cut: boolean } {
  const text = printJson(jsonData, 2);
  if (text.length <= jsonPreviewLimit) return { text, cut: false };
  return {
    text: `${text.slice(0, jsonPreviewLimit)}\n… [cut: ${text.length - jsonPreviewLimit} more characters]`,
    cut: true,
  };
}
