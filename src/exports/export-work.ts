/** The work behind exports: plans what is due and makes what is pending, in the process that leads it. */
import type { LiveSettings } from '#config/settings/live-settings.ts'
import type { Logger } from '#observe/log.ts'
import type { ExportFormat, ExportStore } from '#store/exports/usage-exports.ts'
import { duePeriods } from './due-periods.ts'
import { makeExport, type ExportParts } from './make-export.ts'

export interface ExportWorkOptions extends Omit<ExportParts, 'currency'> {
  readonly settings: LiveSettings
  readonly store: ExportStore
  readonly logger: Logger
  /** The time that all processes share. */
  readonly now: () => Promise<number>
}

const periods = { daily: 'day', monthly: 'month' } as const
const madeAtOnce = 10

/** Plans and makes exports until none is due or one fails. */
export async function exportUsage(options: ExportWorkOptions): Promise<void> {
  const { store } = options
  await planDue(options)
  for (;;) {
    const pending = await store.pending(madeAtOnce)
    if (pending.length === 0) return
    for (const planned of pending) {
      try {
        await make(options, planned)
      } catch (error) {
        await store.fail(planned.id, error instanceof Error ? error.message.slice(0, 500) : 'unknown')
        throw error
      }
    }
  }
}

async function planDue({ settings, store, now }: ExportWorkOptions): Promise<void> {
  const schedule = settings.get('exports.schedule')
  if (schedule === 'off') return
  const period = periods[schedule]
  const at = await now()
  const due = duePeriods(
    { period, timeZone: settings.get('exports.time_zone'), hour: settings.get('exports.hour') },
    { now: at, plannedUntil: await store.plannedUntil(period) },
  )
  await store.plan(due.map((each) => ({ ...each, id: crypto.randomUUID(), createdAt: at })))
}

async function make(options: ExportWorkOptions, planned: Parameters<typeof makeExport>[1]): Promise<void> {
  const { settings, store, logger, now } = options
  const formats = settings
    .get('exports.formats')
    .filter((name): name is ExportFormat => name === 'csv' || name === 'parquet')
  using made = await makeExport({ ...options, currency: settings.get('prices.currency') }, planned, formats)
  const { id, period, version } = planned
  if (await store.finish(id, { ...made, at: await now() }))
    logger.info('usage was exported', { export: id, period, version, rows: made.totals.rows })
}
