/** How Plico names itself to servers and clients. */
export const ABOUT_PLICO: { readonly name: string; readonly version: string } = { name: "plico", version: "0.7.0" };
