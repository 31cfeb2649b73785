export type { Bus, BusListener, BusSubscribeOptions } from "./bus.js";
export {
  buildCallHandler,
  type CallHandler,
  type CallHandlerLimits,
  type CallHandlerOptions,
  type CloseOptions,
  type ListenOptions,
} from "./call-handler.js";
export type { EventCounts, PendingCounts } from "./event-counts.js";
export { CallEventSchema, CallEventSchemas } from "./event-schemas.js";
export {
  type CallAbortedEvent,
  type CallCompletedEvent,
  type CallCreditedEvent,
  type CallErrorEvent,
  type CallEvent,
  type CallEventType,
  type CallProgressEvent,
  type CallRequestedEvent,
  type CallRespondedEvent,
  type CallResumedEvent,
  type CallRunningEvent,
  isCallEvent,
} from "./events.js";
export type { Executor } from "./executor.js";
export { type MemoryBusOptions, memoryBus } from "./memory-bus.js";
export type { PendingOptions } from "./pending.js";
export {
  PendingRequestMap,
  type PendingRequestMapOptions,
  type PendingSubscribeOptions,
} from "./pending-request-map.js";
