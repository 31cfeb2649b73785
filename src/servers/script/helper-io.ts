/** What a helper has of its process, in the smallest shape, so that a test can give its own. */
export interface HelperIo {
  /** The arguments after the script's name. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: AsyncIterable<Uint8Array | string>;
  readonly stdout: HelperStream;
  readonly stderr: HelperStream;
  /** Called once, after all is written. */
  readonly exit: (code: number) => void;
}

export interface HelperStream {
  /** Calls back when the text has left the process, or cannot. */
  write(text: string, done: (error?: Error | null) => void): unknown;
}
