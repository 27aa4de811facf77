/** The part of the composition root for exports of usage: their files lie where those of documents do. */
import type { LiveSettings } from '#config/settings/live-settings.ts'
import type { Documents } from '#documents/documents.ts'
import { exportUsage } from '#exports/export-work.ts'
import type { ExportNames, ExportPlace } from '#exports/make-export.ts'
import type { Clock } from '#lib/clock.ts'
import type { Logger } from '#observe/log.ts'
import type { Leader } from '#replica/leader.ts'
import type { LiveState } from '#replica/live-state.ts'
import type { Store } from '#store/store.ts'

export interface OpenExportsOptions {
  readonly settings: LiveSettings
  readonly store: Store
  readonly state: LiveState
  readonly leader: Leader
  readonly clock: Clock
  readonly logger: Logger
  readonly documents: Pick<Documents, 'blobs' | 'spool' | 'blobUse'>
}

/** A file larger than this is a mistake. */
const fileBytesMax = 8 * 1024 * 1024 * 1024

/** Plans and makes what is due; for a loop. One process does it for all, and doing it twice does no harm. */
export function exportingUsage(options: OpenExportsOptions): () => Promise<void> {
  const { settings, store, leader, clock, logger } = options
  const work = {
    settings,
    store: store.exports,
    usage: store.usage,
    logger,
    now: store.now ?? (() => Promise.resolve(clock.now())),
    place: placeOf(options),
  }
  return async () => {
    await leader.run('exporting usage', async () => exportUsage({ ...work, names: await namesOf(options) }))
  }
}

function placeOf({ documents: { blobs, spool, blobUse } }: OpenExportsOptions): ExportPlace {
  return {
    async store(id, pieces) {
      const held = await blobUse.hold([id])
      try {
        const received = await spool.receive(pieces, fileBytesMax)
        await blobs.put([{ ...received, id }])
        const { sha256, bytes } = received
        return { sha256, bytes, [Symbol.dispose]: () => held[Symbol.dispose]() }
      } catch (thrown) {
        held[Symbol.dispose]()
        throw thrown
      }
    },
  }
}

async function namesOf({ store, state }: OpenExportsOptions): Promise<ExportNames> {
  const groups = new Map((await store.groups.all()).map(({ id, name }) => [id, name]))
  return {
    user(id) {
      const account = state.directory.account(id)
      const names = [...(account?.groupIds ?? [])].flatMap((groupId) => groups.get(groupId) ?? [])
      return { email: account?.user.email ?? '', groups: names.filter((name) => name !== 'everyone').toSorted() }
    },
    keys: async (ids) => new Map((await store.keys.some(ids)).map(({ id, name }) => [id, name])),
  }
}
