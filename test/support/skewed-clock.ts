/**
 * Sets the wall clock of a whole process forward or back, as on a machine whose clock is wrong. Preloaded by Bun:
 * `BUN_OPTIONS="--preload …/skewed-clock.ts"`, with the milliseconds in SLUICE_TEST_SKEW_MS.
 */
const skewMs = Number(process.env['SLUICE_TEST_SKEW_MS'])
const now = Date.now
Date.now = () => now() + skewMs
// Only `sluice` itself refuses variables that it does not know.
delete process.env['SLUICE_TEST_SKEW_MS']
