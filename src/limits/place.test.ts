/** All places, by one contract. */
import { placeContract } from '#test/support/contract/place-contract.ts'
import { MemoryPlace } from '#test/support/limits/memory-place.ts'
import { makePostgresSchema } from '#test/support/store/postgres-schema.ts'
import { sealer } from '#lib/seal.ts'
import { openStore } from '#store/store.ts'
import { ValkeyPlace } from './valkey-place.ts'

const postgresUrl = process.env['SLUICE_TEST_POSTGRES_URL']
const valkeyUrl = process.env['SLUICE_TEST_REDIS_URL']

placeContract('a place in memory', {
  missing: false,
  async open() {
    const heard: string[] = []
    const place = new MemoryPlace((hint) => heard.push(hint))
    return { place, other: place, heard, close: async () => undefined }
  },
})

placeContract('a place in Valkey', {
  missing: valkeyUrl === undefined && 'SLUICE_TEST_REDIS_URL is not set',
  async open() {
    const heard: string[] = []
    const options = { url: String(valkeyUrl), installation: crypto.randomUUID() }
    const place = new ValkeyPlace({ ...options, onHint: () => undefined })
    const other = new ValkeyPlace({ ...options, onHint: (hint) => heard.push(hint) })
    await other.open(0)
    const close = async (): Promise<void> => {
      await place[Symbol.asyncDispose]()
      await other[Symbol.asyncDispose]()
    }
    return { place, other, heard, close }
  },
})

placeContract('a place in PostgreSQL', {
  missing: postgresUrl === undefined && 'SLUICE_TEST_POSTGRES_URL is not set',
  async open() {
    const schema = await makePostgresSchema(String(postgresUrl))
    const stores = [await openStore({ url: schema.url, sealer: sealer(new Uint8Array(32)) })]
    stores.push(await openStore({ url: schema.url, sealer: sealer(new Uint8Array(32)) }))
    const [place, other] = stores.map(({ limits }) => limits!.place)
    const heard: string[] = []
    const none = (): void => undefined
    const ears = await stores[1]!.limits!.listen({ onRoster: none, onEnd: none, onHint: (hint) => heard.push(hint) })
    const close = async (): Promise<void> => {
      await ears[Symbol.asyncDispose]()
      for (const store of stores) await store.close()
      await schema.drop()
    }
    return { place: place!, other: other!, heard, close }
  },
})
