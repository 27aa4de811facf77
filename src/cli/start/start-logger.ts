/** The log of a server. */
import { systemClock } from '#lib/clock.ts'
import { createLogger, writeToStderr, type LogFields, type Logger } from '#observe/log.ts'
import type { Configuration } from '../configuration.ts'

/** Writes to stderr, as the settings say; `fields` are on each record. */
export function startLogger({ settings }: Pick<Configuration, 'settings'>, fields: LogFields = {}): Logger {
  const [level, format] = [settings['log.level'], settings['log.format']]
  return createLogger({ level, format, clock: systemClock, write: writeToStderr }, fields)
}
