/**
 * `${NAME}` in the strings of the configuration file. Values are put in as they are: nothing inside
 * them is replaced again. `$${` stands for a literal `${`.
 */
import { variable, type Environment } from './environment.ts'

/** One reference that cannot be replaced. */
export interface InterpolationFault {
  /** Dotted path of the string. */
  readonly path: string
  /** The reference as written. */
  readonly reference: string
  readonly reason: 'missing' | 'malformed'
}

const reference = /\$\$\{|\$\{([^}]*)(\}?)/g

/**
 * The same tree with every string's references replaced; mapping keys are left alone. Faults are
 * pushed to `faults`, and their references stay as written.
 */
export function interpolate(
  value: unknown,
  path: string,
  environment: Environment,
  faults: InterpolationFault[],
): unknown {
  if (typeof value === 'string') {
    return value.replace(reference, (written: string, name: string | undefined, close: string | undefined) => {
      if (written === '$${') return '${'
      const malformed = close !== '}' || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name ?? '')
      const replacement = malformed ? null : variable(environment, name ?? '')
      if (replacement === null) {
        // A malformed reference may be a password that only looks like one: it is not shown.
        faults.push({ path, reference: malformed ? '${…}' : written, reason: malformed ? 'malformed' : 'missing' })
      }
      return replacement ?? written
    })
  }
  if (Array.isArray(value)) {
    return value.map((item, index) => interpolate(item, `${path}[${index}]`, environment, faults))
  }
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value)
  return Object.fromEntries(
    entries.map(([key, item]) => [key, interpolate(item, path === '' ? key : `${path}.${key}`, environment, faults)]),
  )
}

/** Names of all variables that a text refers to. */
export function referencedVariables(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(reference)].flatMap((match) => match[1] ?? []))
}
