/** Where an operation's `_meta` says how it is called over HTTP. */
export const OPENAPI_KEY = "plico/openapi";
