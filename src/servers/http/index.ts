export type { ServedRegistry } from "../../registry/served-registry.js";
export type { GuardOptions } from "../http-guard.js";
export type { ListenOptions } from "../listen.js";
export type { CorsOptions } from "./cors.js";
export { type HttpHandler, httpHandler } from "./fetch-handler.js";
export { type HttpListener, httpListener } from "./node-listener.js";
export type {
  ApiInfo,
  HttpServerOptions,
  IdempotencyOptions,
  RequestHead,
  RequestHeaders,
  StreamOptions,
} from "./options.js";
export { type HttpServer, type ServeHttpOptions, serveHttp } from "./serve.js";
