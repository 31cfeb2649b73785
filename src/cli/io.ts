/** The streams of a process, in the smallest shape that the commands need. */
export interface Io {
  readonly stdin: AsyncIterable<Uint8Array | string> & { readonly isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface Output {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** 0 all is fine, 1 the document is at fault, 2 the call is. */
export type ExitCode = 0 | 1 | 2;

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
