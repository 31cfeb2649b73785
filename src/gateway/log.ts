/** What a gateway tells those who run it. */
export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

export type LogFields = Readonly<Record<string, unknown>>;

/** For those who want to hear nothing. */
export const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {} };
