/** Processes that price records again are killed in the middle: no sum and no counter is ever wrong. */
import { afterAll, beforeAll, describe, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sealer } from '#lib/seal.ts'
import { openStore } from '#store/store.ts'
import { makePostgresSchema } from '#test/support/store/postgres-schema.ts'
import { models, recomputeAll, someCharged } from '#test/support/store/priced-usage.ts'
import { counters, requireExact } from '#test/support/store/store-contract-recompute.ts'

const serverUrl = process.env['SLUICE_TEST_POSTGRES_URL']
const script = new URL('../support/store/recompute-process.ts', import.meta.url).pathname
const ownSealer = sealer(new Uint8Array(32))
let folder = ''

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-recompute-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Kills processes at moments that differ by a part of a step, while this one writes. */
async function survive(url: string): Promise<void> {
  const store = await openStore({ url, sealer: ownSealer })
  try {
    await store.usage.insertMany(someCharged(1500, counters))
    for (let kills = 0; kills < 4; kills += 1) {
      const others = Array.from({ length: 2 }, () =>
        Bun.spawn([process.execPath, script, url], { stdout: 'pipe', stderr: 'inherit' }),
      )
      // The first output says that each is in the middle of its work.
      await Promise.all(others.map(({ stdout }) => stdout.getReader().read()))
      for (let writes = 0; writes <= kills; writes += 1) await store.usage.insertMany(someCharged(30, counters))
      for (const other of others) other.kill('SIGKILL')
      await Promise.all(others.map(({ exited }) => exited))
      await requireExact(store)
    }
    await recomputeAll(store, models(4_000_000))
    await requireExact(store)
  } finally {
    await store.close()
  }
}

describe('records that are priced again', () => {
  test('by processes that are killed leave sums and counters exact on SQLite', async () => {
    await survive(`sqlite:${join(folder, 'one.db')}`)
  }, 60_000)

  test.skipIf(serverUrl === undefined)(
    'by processes that are killed leave sums and counters exact on PostgreSQL',
    async () => {
      const schema = await makePostgresSchema(serverUrl ?? '')
      try {
        await survive(schema.url)
      } finally {
        await schema.drop()
      }
    },
    60_000,
  )
})
