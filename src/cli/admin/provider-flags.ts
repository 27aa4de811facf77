/** Flags that say how a provider is reached, and the fields of the admin API that they become. */
import { processEnvironment, readEnvironment } from '#config/sources/environment.ts'
import { serverStrategies } from '#config/declared/routing-forms.ts'
import { UsageProblem, type Flag, type GivenFlags } from '../command.ts'
import type { ServersOnWire } from './wire.ts'

/** For adding a provider and for changing one. */
export const connectionFlags: Readonly<Record<string, Flag>> = {
  kind: { type: 'string', placeholder: 'KIND', sentence: 'Which protocol it speaks; openai when left out.' },
  'base-url': { type: 'string', placeholder: 'URL', sentence: 'Its address, which usually ends in /v1.' },
  'credential-env': {
    type: 'string',
    placeholder: 'VARIABLE',
    sentence: 'Environment variable that holds its API key.',
  },
  header: assignments('HEADER', 'A further header of every request; an empty value removes it.'),
  'header-env': variables('HEADER', 'A further header whose value is in an environment variable.'),
  option: assignments('OPTION', 'What only its kind knows, such as region; lists and mappings as JSON.'),
  'option-env': variables('OPTION', 'An option whose value is in an environment variable.'),
  timeout: assignments(
    'TIMEOUT',
    'A time-out of its own: connect_seconds, first_token_seconds, idle_seconds or total_seconds.',
  ),
  server: {
    type: 'string',
    placeholder: 'URL',
    repeatable: true,
    sentence: 'The address of a further server with the same models.',
  },
  dns: {
    type: 'string',
    placeholder: 'KIND',
    sentence:
      'What the host of its address leads to: "a" for a server at each IP address, "srv" for one at each SRV record, "none".',
  },
  strategy: {
    type: 'string',
    placeholder: 'STRATEGY',
    sentence: `How requests choose among its servers: ${serverStrategies.join(', ')}.`,
  },
  'max-concurrent': {
    type: 'string',
    placeholder: 'NUMBER',
    sentence: 'Requests under way at all its models at once; "any" removes the cap.',
  },
}

/** The field of the cap on requests under way at once, when its flag is given. */
export function capField(flags: GivenFlags): { readonly max_concurrent?: number | null } {
  const text = flags.get('max-concurrent')
  if (text === undefined) return {}
  if (text === 'any') return { max_concurrent: null }
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new UsageProblem('--max-concurrent takes a number of requests, or "any".')
  return { max_concurrent: Number(text) }
}

function assignments(name: string, sentence: string): Flag {
  return { type: 'string', placeholder: `${name}=VALUE`, repeatable: true, sentence }
}

function variables(name: string, sentence: string): Flag {
  return { type: 'string', placeholder: `${name}=VARIABLE`, repeatable: true, sentence }
}

/**
 * Its servers, when a flag names one of their fields; the others stay as they are.
 * @param before null for a provider that has one server, or is new
 */
export function serversField(
  flags: GivenFlags,
  before: ServersOnWire | null,
): { readonly servers?: Partial<ServersOnWire> } {
  const [urls, dns, strategy] = [flags.all('server'), flags.get('dns'), flags.get('strategy')]
  if (urls.length === 0 && dns === undefined && strategy === undefined) return {}
  return {
    servers: {
      ...before,
      ...(urls.length > 0 && { urls }),
      ...(dns !== undefined && { dns: dns === 'none' ? null : dns }),
      ...(strategy !== undefined && { strategy }),
    },
  }
}

/** The fields besides name, kind, addresses and credential; those that no flag names are left out. */
export function connectionFields(flags: GivenFlags): Readonly<Record<string, unknown>> {
  const headers = { ...given(flags, 'header', orNull), ...given(flags, 'header-env', valueOfVariable) }
  const options = { ...given(flags, 'option', optionOf), ...given(flags, 'option-env', valueOfVariable) }
  const timeouts = given(flags, 'timeout', Number)
  return {
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(Object.keys(options).length > 0 && { options }),
    ...(Object.keys(timeouts).length > 0 && { timeouts }),
    ...capField(flags),
  }
}

/** The value of an environment variable. Throws UsageProblem when it is not set. */
export function valueOfVariable(variable: string): string {
  const [secret] = readEnvironment([variable], processEnvironment()).values()
  if (secret !== undefined) return secret.reveal()
  throw new UsageProblem(`The environment variable ${variable} is not set.`)
}

function given<T>(flags: GivenFlags, flag: string, read: (value: string) => T): Readonly<Record<string, T>> {
  const entries = flags.all(flag).map((text): readonly [string, T] => {
    const split = text.indexOf('=')
    if (split <= 0) throw new UsageProblem(`--${flag} takes NAME=VALUE, and not "${text}".`)
    return [text.slice(0, split), read(text.slice(split + 1))]
  })
  return Object.fromEntries(entries)
}

function orNull(value: string): string | null {
  return value === '' ? null : value
}

function optionOf(value: string): unknown {
  if (!/^[[{]/.test(value)) return orNull(value)
  try {
    return JSON.parse(value) as unknown
  } catch {
    throw new UsageProblem(`--option: ${value} is not JSON.`)
  }
}
