// The process that makes the load: on each connection one request at a time, always the same bytes. It looks at no more of
// an answer than is needed to know where it ends, so that it costs less than any server.
import { connect } from "node:net";

const LENGTH = "\r\ncontent-length: ";

/** Where the answer ends that begins here, once that is known. */
function endOf(chunk) {
  const head = chunk.indexOf("\r\n\r\n");
  if (head < 0) return undefined;
  const text = chunk.latin1Slice(0, head + 2).toLowerCase();
  if (text.slice(9, 12) !== "200") throw new Error(chunk.latin1Slice());
  const at = text.indexOf(LENGTH);
  if (at >= 0) return head + 4 + Number.parseInt(text.slice(at + LENGTH.length), 10);
  const end = chunk.indexOf("\r\n0\r\n\r\n", head + 2);
  return end < 0 ? undefined : end + 7;
}

function drive(port, request, state) {
  const socket = connect(port, "127.0.0.1");
  socket.setNoDelay(true);
  let rest;
  socket.on("data", (chunk) => {
    const all = rest === undefined ? chunk : Buffer.concat([rest, chunk]);
    rest = undefined;
    if (all.length < (endOf(all) ?? Number.POSITIVE_INFINITY)) {
      rest = all;
      return;
    }
    state.count++;
    if (state.isOver) socket.end();
    else socket.write(request);
  });
  socket.once("connect", () => socket.write(request));
  return new Promise((resolve, reject) => socket.once("error", reject).once("close", resolve));
}

async function load({ port, request, connections, milliseconds }) {
  const state = { count: 0, isOver: false };
  const bytes = Buffer.from(request);
  const cpu = process.cpuUsage();
  const start = performance.now();
  const ends = Array.from({ length: connections }, () => drive(port, bytes, state));
  setTimeout(() => {
    state.isOver = true;
  }, milliseconds);
  await Promise.all(ends);
  const took = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  return { count: state.count, rate: (state.count / took) * 1000, cpuShare: (user + system) / 1000 / took };
}

process.on("message", async (order) => process.send(await load(order)));
