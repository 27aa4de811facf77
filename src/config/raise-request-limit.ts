/** The one variable that the runtime reads before any code runs. */

const name = 'BUN_CONFIG_MAX_HTTP_REQUESTS'

/**
 * Replaces this process by the same program with the variable set, unless it is: fetch runs at most 256 requests at once
 * otherwise. Only for the binary, whose arguments are its own; `bin/sluice` sets the variable for the source.
 * The process keeps its id and its open files.
 */
export function raiseRequestLimit(args: readonly string[]): void {
  if (process.env[name] !== undefined) return
  process.execve?.(process.execPath, [process.execPath, ...args], { ...process.env, [name]: '65535' })
}
