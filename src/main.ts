/** The entry of the process: arguments in, exit code out. The binary also starts its scripts here. */
import { setRuntimeVariables } from '#config/runtime-variables.ts'
import { inBinary, scriptAsked } from '#lib/own-scripts.ts'

const args = process.argv.slice(2)
const script = scriptAsked(args)
if (script === null) {
  if (inBinary) setRuntimeVariables(args)
  const { run } = await import('#cli/run.ts')
  // Not process.exit: what was written to a pipe would be cut off.
  process.exitCode = await run(args)
} else {
  await import(script)
}
