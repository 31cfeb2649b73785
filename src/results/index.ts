export { type Preview, type PreviewOptions, previewOf } from "./preview.js";
export { hintsOfPreview, linkToResult } from "./preview-hints.js";
export type { ResultPart } from "./result-part.js";
export {
  createResultStore,
  type ResultStore,
  type ResultStoreOptions,
  type StoredResult,
} from "./result-store.js";
