// For the schema of the file, and for the flags that say the same.

export const SEARCH_MODES = ["off", "on", "auto"] as const;

export const LOG_FORMATS = ["text", "json"] as const;

export const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;
