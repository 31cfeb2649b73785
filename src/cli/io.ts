/** The streams of a process, in the smallest shape that the commands need. */
export interface Io {
  readonly stdin: AsyncIterable<Uint8Array | string> & { readonly isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  cwd(): string;
  on?(signal: Signal, listener: () => void): unknown;
  off?(signal: Signal, listener: () => void): unknown;
}

/** Those by which people and systems end a command; `SIGPIPE` says that nobody reads the output any more. */
export type Signal = "SIGINT" | "SIGTERM" | "SIGHUP" | "SIGPIPE";

export interface Output {
  readonly isTTY?: boolean;
  /** How wide a terminal is. */
  readonly columns?: number;
  write(text: string): unknown;
}

/** 0 all is fine, 1 the document is at fault, 2 the call is; of a call that failed what its category says. */
export type ExitCode = number;

/** A mistake of the caller or in the input, told without a stack. */
export class Complaint extends Error {
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode) {
    super(message);
    this.exitCode = exitCode;
  }
}

export function worst(codes: readonly ExitCode[]): ExitCode {
  return codes.reduce<ExitCode>((most, code) => (code > most ? code : most), 0);
}
