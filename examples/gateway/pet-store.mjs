// A small HTTP API that knows nothing of Plico. `pet-store.openapi.json` is what it says of itself.
import { createServer } from "node:http";

/** Starts it on a port that is free. It does not keep the process alive. */
export async function startPetStore() {
  const pets = [
    { id: 1, name: "Rex", tag: "dog", adopted: false },
    { id: 2, name: "Tom", tag: "cat", adopted: false },
    { id: 3, name: "Kit", tag: "cat", adopted: true },
  ];
  const server = createServer((request, response) => {
    const { status, body } = answer(pets, request);
    const type = status < 400 ? "application/json" : "application/problem+json";
    response.writeHead(status, { "content-type": type }).end(JSON.stringify(body));
  });
  server.on("connection", (socket) => socket.unref());
  await new Promise((resolve, reject) => server.once("error", reject).listen(0, "127.0.0.1", resolve));
  server.unref();
  return { url: `http://127.0.0.1:${server.address().port}` };
}

function answer(pets, { method, url }) {
  const { pathname, searchParams } = new URL(url, "http://pets");
  const [, collection, id, action] = pathname.split("/");
  if (collection !== "pets") return problem(404, "There is nothing here.");
  if (id === undefined && method === "GET") return { status: 200, body: listed(pets, searchParams) };
  const pet = pets.find((one) => String(one.id) === id);
  if (pet === undefined) return problem(404, `There is no pet ${id}.`);
  if (action === undefined && method === "GET") return { status: 200, body: pet };
  if (action !== "adoption" || method !== "POST") return problem(405, `A pet cannot be asked to ${method}.`);
  if (pet.adopted) return problem(409, `${pet.name} has a home already.`);
  pet.adopted = true;
  return { status: 200, body: pet };
}

function listed(pets, query) {
  const tag = query.get("tag");
  return pets.filter((pet) => tag === null || pet.tag === tag);
}

function problem(status, detail) {
  return { status, body: { type: "about:blank", status, detail } };
}
