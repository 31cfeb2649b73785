import type { ClientRequest } from "node:http";

const SLICE_BYTES = 262_144;

/** Sends the body. A long one goes in slices, so that one can see that it is under way. */
export function upload(sent: ClientRequest, body: string | Uint8Array | undefined, onProgress: () => void): void {
  // Node writes a text together with the headers, as UTF-8: theirs would be encoded twice.
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  if (bytes === undefined) sent.end();
  else if (bytes.length <= SLICE_BYTES) sent.end(bytes);
  else uploadSlices(sent, bytes, onProgress);
}

function uploadSlices(sent: ClientRequest, body: Uint8Array, onProgress: () => void): void {
  let at = 0;
  const sendMore = (): void => {
    while (at < body.length) {
      onProgress();
      const slice = body.subarray(at, at + SLICE_BYTES);
      at += slice.length;
      if (!sent.write(slice)) {
        sent.once("drain", sendMore);
        return;
      }
    }
    sent.end();
  };
  sendMore();
}
