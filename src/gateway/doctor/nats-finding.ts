import { callErrorFrom } from "../../envelope/call-error.js";
import type { LoadedConfig } from "../config/loaded-config.js";
import { natsAddresses, readNatsAddress } from "../config/nats-address.js";
import { natsPlace } from "../serve/serve-nats.js";
import type { Finding } from "./finding.js";

/** Whether `plico worker` would be let in where `servers.nats` says that NATS is. */
export async function natsFinding(loaded: LoadedConfig): Promise<Finding> {
  const about = "worker";
  try {
    const place = await natsPlace({ loaded });
    await place.close();
    const addresses = natsAddresses(loaded.config.servers?.nats?.url ?? []);
    const shown = addresses.map((address) => readNatsAddress(address).shown).join(", ");
    return { level: "ok", about, message: `NATS lets us in at ${shown}` };
  } catch (thrown) {
    const { message, suggestedAction: fix } = callErrorFrom(thrown);
    return { level: "warn", about, message, ...(fix !== undefined && { fix }) };
  }
}
