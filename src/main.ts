/** The entry of the process: arguments in, exit code out. */
import { run } from '#cli/run.ts'

// Not process.exit: what was written to a pipe would be cut off.
process.exitCode = await run(process.argv.slice(2))
