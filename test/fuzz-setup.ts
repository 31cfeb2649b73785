import fc from "fast-check";

// The same generated values each time, so that a run can be repeated; FUZZ=1 takes new ones.
if (process.env["FUZZ"] !== "1") fc.configureGlobal({ seed: 20261115 });
