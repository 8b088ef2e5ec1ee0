// Preloaded when a picture is taken: the program's clock starts at a fixed time, in every thread. Time still passes at its normal
// rate.
const START_MS = Date.UTC(2026, 0, 5, 14, 30, 20);
const NS_PER_MS = 1_000_000n;
const startedNs = BigInt(process.env.PICTURE_STARTED_NS ?? process.hrtime.bigint());

Date.now = () => START_MS + Number((process.hrtime.bigint() - startedNs) / NS_PER_MS);
