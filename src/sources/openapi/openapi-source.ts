import type { Warning } from "../../envelope/warning.js";
import { isString } from "../../json/value.js";
import type { AnyOperation } from "../../registry/operation-map.js";
import type { OperationSource, SourceHealth } from "../../registry/source.js";
import { ApiDocument } from "./document/api-document.js";
import { indexOperations } from "./document/index-operations.js";
import { type LoadedDocument, loadDocument } from "./document/load-document.js";
import { readDocumentText } from "./document/read-document-text.js";
import { isClientCredentials } from "./exchange/client-credentials.js";
import { createHttpClient, type HttpClient } from "./exchange/http-client.js";
import { addressRule } from "./exchange/private-address.js";
import { operationsFromIndex } from "./operation-from-index.js";
import { type OpenApiSourceOptions, type Settings, settingsOf } from "./options.js";
import { Sender } from "./sender.js";

export interface OpenApiSource extends OperationSource {
  health(): OpenApiHealth;
}

export interface OpenApiHealth extends SourceHealth {
  /** Of the document: 2.0, 3.0, 3.1 or 3.2. */
  readonly version: string;
  readonly title?: string;
  readonly operations: number;
  /** What of the document could not be used, and what is done instead. */
  readonly warnings: readonly Warning[];
}

/** Reads an OpenAPI document and makes operations of what it describes. Rejects with a `CallError` where it cannot. */
export async function openapiSource(options: OpenApiSourceOptions): Promise<OpenApiSource> {
  const settings = settingsOf(options);
  const document = new ApiDocument(await load(settings));
  const client = clientFor(settings, settings.maxResponseBytes);
  try {
    return makeSource(settings, client, document);
  } catch (thrown) {
    client.close();
    throw thrown;
  }
}

async function load(settings: Settings): Promise<LoadedDocument> {
  const { file, url, document, maxDocumentBytes, signal } = settings;
  signal?.throwIfAborted();
  const limits = { maxBytes: maxDocumentBytes };
  if (file !== undefined) return loadDocument({ file }, limits);
  if (url === undefined) return loadDocument({ document }, limits);
  const client = clientFor(settings, maxDocumentBytes);
  const giveUp = (): void => client.close();
  signal?.addEventListener("abort", giveUp, { once: true });
  try {
    return await loadDocument(
      { url: String(url), read: (address) => readDocumentText(address, client, settings) },
      limits,
    );
  } finally {
    signal?.removeEventListener("abort", giveUp);
    client.close();
  }
}

function makeSource(settings: Settings, client: HttpClient, document: ApiDocument): OpenApiSource {
  const { operations: indexed, warnings } = indexOperations(document);
  const documentUrl = settings.url === undefined ? undefined : document.address;
  const sender = new Sender({ settings, client, schemes: document.securitySchemes(), documentUrl });
  const operations: readonly AnyOperation[] = operationsFromIndex(indexed, { settings, document, sender });
  let isClosed = false;
  return {
    name: settings.name,
    operations,
    onChange: () => () => {},
    health: () => ({
      status: isClosed ? "closed" : "ready",
      version: document.version,
      ...(document.title !== undefined && { title: document.title }),
      operations: operations.length,
      warnings: [...document.warnings, ...warnings, ...(operations.length === 0 ? [nothingLeft(indexed.length)] : [])],
    }),
    close: async () => {
      isClosed = true;
      sender.close();
      client.close();
    },
  };
}

function nothingLeft(described: number): Warning {
  const why = described === 0 ? "the document describes none" : `the filter lets none of ${described} through`;
  return { code: "OPERATION_SKIPPED", message: `There is no operation: ${why}.` };
}

/** A document that came from elsewhere must not lead to what only this machine can reach. */
function clientFor(settings: Settings, maxResponseBytes: number): HttpClient {
  const { url, baseUrl, allowPrivate, credentials = {} } = settings;
  const tokenUrls = Object.values(credentials).map(
    (credential) => isClientCredentials(credential) && credential.tokenUrl,
  );
  const mayReach = addressRule({
    allowPrivate: allowPrivate === true || url === undefined,
    named: originsOf([url]),
    trusted: originsOf([baseUrl, ...tokenUrls]),
  });
  return createHttpClient({ maxResponseBytes, mayReach });
}

function originsOf(addresses: readonly unknown[]): string[] {
  const given = addresses.filter((address) => (isString(address) || address instanceof URL) && URL.canParse(address));
  return given.map((address) => new URL(String(address)).origin);
}
