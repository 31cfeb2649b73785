import { type Duplex, pipeline, Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib";

/** The encodings that a server is asked for. */
export const ACCEPTED_ENCODINGS = "gzip, deflate, br";

/** Layers upon layers make a large bomb of few bytes, and no server needs them. */
const MOST_LAYERS = 2;

/** What undoes the encodings of `Content-Encoding`, outermost first; `undefined` where one of them is not known here. */
export function decodersFor(contentEncoding: string): readonly Decoder[] | undefined {
  const names = contentEncoding
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== "" && name !== "identity");
  if (names.length > MOST_LAYERS || !names.every((name) => Object.hasOwn(DECODERS, name))) return undefined;
  return names.reverse().flatMap((name) => DECODERS[name] ?? []);
}

export type Decoder = (firstByte: number) => Duplex;

const DECODERS: Readonly<Record<string, Decoder>> = {
  gzip: () => createGunzip(),
  "x-gzip": () => createGunzip(),
  br: () => createBrotliDecompress(),
  // Some servers leave out the wrapping of zlib, whose first byte has 8 in its lower half.
  deflate: (firstByte) => ((firstByte & 0x0f) === 8 ? createInflate() : createInflateRaw()),
};

/** The decoded body. It fails as the body does, and where the body cannot be decoded; no bytes at all are an empty body. */
export async function decompressed(body: Readable, decoders: readonly Decoder[]): Promise<Readable> {
  let layer = body;
  for (const decoder of decoders) {
    const first = await firstByteOf(layer);
    if (first === undefined) return Readable.from([]);
    layer = pipeline(layer, decoder(first), () => {});
    // One that nobody reads any more may still fail.
    layer.on("error", () => {});
  }
  return layer;
}

function firstByteOf(body: Readable): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const settle = (result: () => void): void => {
      body.off("readable", onReadable).off("end", onEnd).off("error", onError).off("close", onClose);
      result();
    };
    const onEnd = (): void => settle(() => resolve(undefined));
    const onError = (error: Error): void => settle(() => reject(error));
    const onClose = (): void => onError(new Error("The body is gone"));
    const onReadable = (): void => {
      const piece = body.read() as Uint8Array | null;
      if (piece === null) return;
      body.unshift(piece);
      settle(() => resolve(piece[0]));
    };
    if (body.errored !== null || body.destroyed) onError(body.errored ?? new Error("The body is gone"));
    else body.on("readable", onReadable).on("end", onEnd).on("error", onError).on("close", onClose);
  });
}
