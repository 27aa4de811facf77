/** The variables that the runtime reads before any code runs. `bin/sluice` and the `Dockerfile` set the same ones. */

export const runtimeVariables: Readonly<Record<string, string>> = {
  // fetch runs at most 256 requests at once otherwise.
  BUN_CONFIG_MAX_HTTP_REQUESTS: '65535',
  // The heap may double before all of it is collected, not triple: 40 MB less under load, for no more CPU.
  BUN_JSC_heapGrowthMaxIncrease: '1',
}

/**
 * Replaces this process by the same program with the variables set, unless they are. Only for the binary, whose
 * arguments are its own. The process keeps its id and its open files.
 */
export function setRuntimeVariables(args: readonly string[]): void {
  if (Object.keys(runtimeVariables).every((name) => process.env[name] !== undefined)) return
  process.execve?.(process.execPath, [process.execPath, ...args], {
    ...runtimeVariables,
    ...process.env,
  } as NodeJS.ProcessEnv)
}
