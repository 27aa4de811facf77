/**
 * The only place that reads process.env. A variable that is blank counts as not set, because that
 * is what a container file makes of an unset one.
 */
import { Secret } from '#lib/secret.ts'

/** What `sluice` itself reads when it speaks to a server: not settings, so set beside them without complaint. */
export const clientVariables = { url: 'SLUICE_URL', key: 'SLUICE_API_KEY' } as const

export type Environment = Readonly<Record<string, string | undefined>>

/** The environment of this process. */
export function processEnvironment(): Environment {
  return process.env
}

/** The value of a variable, or null when it is unset or blank. */
export function variable(environment: Environment, name: string): string | null {
  const value = Object.hasOwn(environment, name) ? environment[name] : undefined
  return value === undefined || value.trim() === '' ? null : value
}

/** Those of the given variables that are set, with their values sealed: for the API keys of known vendors. */
export function readEnvironment(
  names: Iterable<string>,
  environment: Environment = processEnvironment(),
): ReadonlyMap<string, Secret> {
  const found = new Map<string, Secret>()
  for (const name of names) {
    const value = variable(environment, name)
    if (value !== null) found.set(name, new Secret(value))
  }
  return found
}
