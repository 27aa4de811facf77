/**
 * The structured log: one record per line, as JSON for machines or as text for people.
 *
 * What may be logged is decided here once: every string passes through redact.ts, and a field that
 * holds a credential by its name is not shown. Logging never throws and never waits.
 */
import type { Clock } from '#lib/clock.ts'
import type { Secret } from '#lib/secret.ts'
import { loggable, type LoggableOptions } from './loggable.ts'

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

export const logFormats = ['json', 'text'] as const
export type LogFormat = (typeof logFormats)[number]

/** What a record says besides its message. Errors are shown with their causes. */
export type LogFields = Readonly<Record<string, unknown>>

export interface Logger {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
  /** A logger that puts these fields on each of its records. */
  with(fields: LogFields): Logger
}

export interface LoggerOptions {
  /** The lowest level that is written. */
  readonly level: LogLevel
  readonly format: LogFormat
  readonly clock: Clock
  /** Takes one record, its line feed included. */
  readonly write: (line: string) => void
  /** Secrets in use now: their values are removed wherever they occur. Asked for each record. */
  readonly secrets?: () => Iterable<Secret>
}

type WrittenLevel = Exclude<LogLevel, 'silent'>
type LogRecord = Readonly<Record<string, unknown>>

/** A logger over one sink. Records below the level cost a comparison. */
export function createLogger(options: LoggerOptions, bound: LogFields = {}): Logger {
  const lowest = logLevels.indexOf(options.level)
  const render = options.format === 'json' ? JSON.stringify : textLine

  function at(level: WrittenLevel): Logger[WrittenLevel] {
    if (logLevels.indexOf(level) < lowest) return () => {}
    return (message, fields) => {
      try {
        options.write(`${render(record(level, message, { ...bound, ...fields }))}\n`)
      } catch {
        // A sink that is gone (a closed pipe) must not take the request with it.
      }
    }
  }

  function record(level: WrittenLevel, message: string, fields: LogFields): LogRecord {
    const rules: LoggableOptions = { secrets: [...(options.secrets?.() ?? [])] }
    const shown: Record<string, unknown> = {
      time: new Date(options.clock.now()).toISOString(),
      level,
      message: loggable(message, rules),
    }
    const clean = loggable(fields, rules) as Readonly<Record<string, unknown>>
    // A field must not replace what the record itself says.
    for (const [name, value] of Object.entries(clean)) shown[name in shown ? `${name}_` : name] = value
    return shown
  }

  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    with: (fields) => createLogger(options, { ...bound, ...fields }),
  }
}

/** The usual sink. */
export function writeToStderr(line: string): void {
  process.stderr.write(line)
}

function textLine({ time, level, message, ...fields }: LogRecord): string {
  const head = `${String(time)} ${String(level).toUpperCase().padEnd(5)} ${oneLine(String(message))}`
  const words = Object.entries(fields).map(([name, value]) => `${oneLine(name)}=${textValue(value)}`)
  return [head, ...words].join(' ')
}

function textValue(value: unknown): string {
  if (typeof value === 'string' && /^[\w.:/@+-]+$/.test(value)) return value
  return oneLine(JSON.stringify(value) ?? 'undefined')
}

/** Without line feeds and other control characters: a record is one line, whatever the message holds. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029]/gu, (character) => {
    const escaped = JSON.stringify(character).slice(1, -1)
    return escaped === character ? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}` : escaped
  })
}
