/** Removes what is older than the settings keep it. */
import type { LiveSettings } from '#config/settings/live-settings.ts'
import type { Clock } from '#lib/clock.ts'
import { signInForgetMs } from '#admin/sign-in-guard.ts'
import type { ContentLogStore } from '#store/content/content-logs.ts'
import type { Store } from '#store/store.ts'

const dayMs = 24 * 60 * 60_000
/** Long enough for a client to resume its stream; the response itself stays. */
const eventsKeptMs = 60 * 60_000
const purgedAtOnce = 200
/** Content has many bytes: little more than what is too much is removed. */
const removedAtOnce = 20

/** Sessions, counts of sign-ins, processes that held money, usage records, the audit log, and what the gateway keeps of responses. */
export async function purge(store: Store, settings: LiveSettings, clock: Clock): Promise<void> {
  await store.sessions.purge(clock.now())
  await store.signInCounts?.purge(signInForgetMs)
  await store.budgets.purge()
  const days = settings.get('usage.retention_days')
  // Whole days: on PostgreSQL they are dropped as they are.
  const kept = clock.now() - days * dayMs
  if (days > 0) await store.usage.purgeBefore(kept - (kept % dayMs))
  const audited = clock.now() - settings.get('audit.retention_days') * dayMs
  await purgeAll((limit) => store.audit.purgeBefore(audited, limit))
  await purgeContent(store.contentLogs, settings, clock)
  const unused = clock.now() - settings.get('responses.retention_days') * dayMs
  await store.responses.purgeBefore(unused)
  await purgeAll((limit) => store.keptResponses.purgeBefore(unused, limit))
  await purgeAll((limit) => store.conversations.purgeBefore(unused, limit))
  await purgeAll((limit) => store.keptResponses.purgeEventsBefore(clock.now() - eventsKeptMs, limit))
}

/** What is too old, and the oldest of what is too much. */
async function purgeContent(store: ContentLogStore, settings: LiveSettings, clock: Clock): Promise<void> {
  const to = clock.now() - settings.get('content_log.retention_days') * dayMs
  await purgeAll((limit) => store.removeSome({ to }, limit))
  const bytesMax = settings.get('content_log.total_bytes_max')
  while ((await store.totalBytes()) > bytesMax && (await store.removeSome({}, removedAtOnce)) > 0);
}

/** A few at a time, so that requests come in between. */
async function purgeAll(purgeSome: (limit: number) => Promise<number>): Promise<void> {
  while ((await purgeSome(purgedAtOnce)) === purgedAtOnce);
}
