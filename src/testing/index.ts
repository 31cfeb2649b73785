export { hostileValues } from "./hostile-values.js";
export { assertReproduces, assertRestores, assertRoundTrip, without } from "./laws.js";
export { type SampleCall, sampleCalls } from "./operations.js";
export { type SampleOutcome, sampleOutcomes } from "./outcomes.js";
export { type AsyncTestCase, type BusTestOptions, testBus } from "./test-bus.js";
export { type DialectFixtures, type Fixture, type RejectFixture, type TestCase, testDialect } from "./test-dialect.js";
export { type RoundTrip, type ServerTestOptions, testServer } from "./test-server.js";
export { type SourceTestOptions, testSource } from "./test-source.js";
