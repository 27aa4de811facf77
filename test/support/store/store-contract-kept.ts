import { expect } from 'bun:test'
import type { ConversationStore } from '#store/kept/conversations.ts'
import type { KeptResponse, KeptTexts } from '#store/kept/kept-responses.ts'
import type { Store } from '#store/store.ts'
import { rejection, type StoreTest } from './store-test.ts'

const noLimit = Number.MAX_SAFE_INTEGER
const now = 1_760_000_000_000

function aKept(fields: Partial<KeptResponse> = {}): Omit<KeptResponse, 'bytes'> {
  return {
    id: `resp_${crypto.randomUUID().replaceAll('-', '')}`,
    userId: crypto.randomUUID(),
    modelId: crypto.randomUUID(),
    previousId: null,
    status: 'completed',
    lease: null,
    createdAt: now,
    usedAt: now,
    ...fields,
  }
}

const texts = { input: '{"a":1}', output: '{"b":2}', response: '{"c":3}' } as const satisfies KeptTexts

async function bytesOf({ keptResponses }: Store, id: string): Promise<number> {
  return (await keptResponses.listOfIds([id]))[0]?.bytes ?? 0
}

/** Responses and conversations that the gateway keeps itself. */
export function keptContract(storeTest: StoreTest): void {
  storeTest('a response comes back as it was kept, whatever its texts hold and however long they are', keepsTexts)
  storeTest('a chain has all that a response builds on, the oldest first, and no one else’s', chains)
  storeTest(
    'an account over its limit loses what it has not used for the longest time, and others lose nothing',
    limits,
  )
  storeTest('only the worker with the lease of a response goes on with it, and it ends once', leases)
  storeTest('events come back from any sequence number on, and are removed without their response', replaysEvents)
  storeTest('what was not used since a moment is purged, a few at a time, with its texts', purges)
  storeTest('items of a conversation come in pages, both ways, and are deleted one by one', listsItems)
  storeTest('two writers of a conversation leave all items of both, each writer’s in their order', appendsTogether)
}

async function keepsTexts({ keptResponses }: Store): Promise<void> {
  for (const length of [0, 1, 1000, 262_143, 262_144, 262_145, 1_000_000]) {
    const kept = aKept()
    const text = `${'x'.repeat(Math.max(0, length - 2))}${length > 1 ? '🌊' : ''}`
    const long = { ...texts, input: text, output: `🌊${text}` }
    await keptResponses.insertMany([{ ...kept, texts: long }], noLimit)
    expect(await keptResponses.listOfIds([kept.id])).toEqual([{ ...kept, bytes: expect.any(Number) }])
    for (const kind of ['input', 'output', 'response'] as const)
      expect(await keptResponses.texts([kept.id, 'resp_none', kept.id], kind)).toEqual([long[kind], '', long[kind]])
  }
}

async function chains({ keptResponses }: Store): Promise<void> {
  const [owner, other] = [crypto.randomUUID(), crypto.randomUUID()]
  const chain = [aKept({ userId: other })]
  for (let turn = 0; turn < 6; turn += 1) {
    const previousId = chain.at(-1)!.id
    chain.push(aKept({ userId: turn === 0 ? other : owner, previousId }))
  }
  for (const kept of chain) await keptResponses.insertMany([{ ...kept, texts }], noLimit)
  const ids = chain.map(({ id }) => id)
  const found = async (id: string, most = 100) => (await keptResponses.chain(id, most)).map((each) => each.id)
  expect(await found(ids[6]!)).toEqual(ids.slice(2))
  expect(await found(ids[1]!)).toEqual(ids.slice(0, 2))
  expect(await found(ids[6]!, 2)).toEqual(ids.slice(5))
  expect(await found('resp_none')).toEqual([])
}

async function limits(store: Store): Promise<void> {
  const { keptResponses, conversations } = store
  const [owner, other] = [crypto.randomUUID(), crypto.randomUUID()]
  const theirs = aKept({ userId: other, usedAt: 0 })
  await keptResponses.insertMany([{ ...theirs, texts }], noLimit)
  const size = await bytesOf(store, theirs.id)
  const conversation = { id: 'conv_limit', userId: owner, createdAt: 0, usedAt: 0 }
  await conversations.insert(conversation, '{}', noLimit)
  const leased = aKept({ userId: owner, usedAt: 0, status: 'queued', lease: { workerId: 'w', until: now } })
  await keptResponses.insertMany([{ ...leased, texts }], noLimit)
  const own = Array.from({ length: 10 }, (_, at) => aKept({ userId: owner, usedAt: at + 1 }))
  for (const kept of own) await keptResponses.insertMany([{ ...kept, texts }], size * 5 + 200)
  const left = (await keptResponses.listOfIds(own.map(({ id }) => id))).map(({ id }) => id)
  expect(new Set(left)).toEqual(new Set(own.slice(-left.length).map(({ id }) => id)))
  expect(left.length).toBeWithin(3, 6)
  expect(await keptResponses.listOfIds([leased.id, theirs.id])).toHaveLength(2)
  expect(await conversations.find(conversation.id)).not.toBeNull()
  const last = aKept({ userId: owner })
  await keptResponses.insertMany([{ ...last, texts }], 1)
  expect(await keptResponses.listOfIds(own.map(({ id }) => id))).toEqual([])
  expect(await conversations.find(conversation.id)).toBeNull()
  expect(await keptResponses.listOfIds([last.id])).toHaveLength(1)
}

async function leases({ keptResponses }: Store): Promise<void> {
  const kept = aKept({ status: 'queued', lease: { workerId: 'one', until: now } })
  await keptResponses.insertMany([{ ...kept, texts }], noLimit)
  const { id } = kept
  const report = (workerId: string) => keptResponses.progress({ workerId, until: now + 10 }, [{ id, events: null }])
  expect([...(await report('one'))]).toEqual([id])
  expect([...(await report('two'))]).toEqual([])
  const ending = { id, texts: { output: '{"later":1}' }, events: null, at: now } as const
  expect(await keptResponses.end({ ...ending, status: 'completed', workerId: 'two' })).toBe(false)
  expect(await keptResponses.end({ ...ending, status: 'failed', workerId: null, leaseBefore: now + 10 })).toBe(false)
  expect(await keptResponses.abandoned(now + 10, 10)).toEqual([])
  expect((await keptResponses.abandoned(now + 11, 10)).map((each) => each.id)).toEqual([id])
  const ends = await Promise.all(
    ['one', 'one', null].map((workerId) => keptResponses.end({ ...ending, status: 'completed', workerId })),
  )
  expect(ends.filter(Boolean)).toHaveLength(1)
  expect([...(await report('one'))]).toEqual([])
  expect(await keptResponses.texts([id], 'output')).toEqual(['{"later":1}'])
  expect(await keptResponses.texts([id], 'input')).toEqual([texts.input])
  expect(await keptResponses.listOfIds([id])).toMatchObject([{ status: 'completed', lease: null }])
  const again = aKept({ userId: kept.userId })
  await keptResponses.insertMany([{ ...again, texts: { ...texts, output: '{"later":1}' } }], noLimit)
  const [first, second] = await keptResponses.listOfIds([id, again.id])
  expect(first?.bytes).toBe(second?.bytes)
}

async function replaysEvents({ keptResponses }: Store): Promise<void> {
  const lease = { workerId: 'one', until: now }
  const kept = aKept({ status: 'queued', lease, usedAt: now })
  await keptResponses.insertMany([{ ...kept, texts }], noLimit)
  const { id } = kept
  for (const position of [0, 3, 4, 9])
    await keptResponses.progress(lease, [{ id, events: { position, lines: `from ${position}` } }])
  const positions = async (from: number) => (await keptResponses.events(id, from)).map((piece) => piece.position)
  expect(await positions(0)).toEqual([0, 3, 4, 9])
  expect(await positions(3)).toEqual([3, 4, 9])
  expect(await positions(8)).toEqual([4, 9])
  expect(await positions(100)).toEqual([9])
  expect((await keptResponses.events(id, 9))[0]?.lines).toBe('from 9')
  const long = { position: 10, lines: 'x'.repeat(600_000) }
  await keptResponses.progress(lease, [{ id, events: long }])
  expect(await keptResponses.events(id, 12)).toEqual([long])
  await keptResponses.progress(lease, [{ id, events: { position: 11, lines: 'after' } }])
  expect(await keptResponses.events(id, 10)).toEqual([long, { position: 11, lines: 'after' }])
  expect(await keptResponses.purgeEventsBefore(now + 1, 10)).toBe(0)
  await keptResponses.end({ id, status: 'completed', texts: {}, events: null, workerId: 'one', at: now })
  expect(await keptResponses.purgeEventsBefore(now, 10)).toBe(0)
  expect(await keptResponses.purgeEventsBefore(now + 1, 10)).toBe(1)
  expect(await positions(0)).toEqual([])
  expect(await keptResponses.texts([id], 'output')).toEqual([texts.output])
}

async function purges(store: Store): Promise<void> {
  const { keptResponses } = store
  const many = Array.from({ length: 25 }, (_, at) => aKept({ usedAt: at }))
  for (const kept of many) await keptResponses.insertMany([{ ...kept, texts }], noLimit)
  expect(await keptResponses.purgeBefore(20, 15)).toBe(15)
  expect(await keptResponses.purgeBefore(20, 15)).toBe(5)
  await keptResponses.touch([many[20]!.id], 100)
  expect(await keptResponses.purgeBefore(100, 15)).toBe(4)
  const ids = many.map(({ id }) => id)
  expect((await keptResponses.listOfIds(ids)).map(({ id }) => id)).toEqual([ids[20]!])
  expect(await keptResponses.texts(ids.slice(0, 2), 'input')).toEqual(['', ''])
  expect(await keptResponses.delete(ids[20]!)).toBe(true)
  expect(await keptResponses.delete(ids[20]!)).toBe(false)
}

async function aConversation(conversations: ConversationStore, userId = crypto.randomUUID()): Promise<string> {
  const id = `conv_${crypto.randomUUID()}`
  await conversations.insert({ id, userId, createdAt: now, usedAt: now }, '{"topic":"x"}', noLimit)
  return id
}

async function listsItems({ conversations }: Store): Promise<void> {
  const id = await aConversation(conversations)
  const items = Array.from({ length: 7 }, (_, at) => ({ id: `msg_${at}`, text: `{"at":${at}}` }))
  await conversations.append(id, items.slice(0, 4), { now, bytesMax: noLimit })
  await conversations.append(id, items.slice(4), { now: now + 1, bytesMax: noLimit })
  const page = (limit: number, descending: boolean, after: string | null) =>
    conversations.items(id, { limit, descending, after })
  expect(await page(100, false, null)).toEqual(items)
  expect(await page(3, false, 'msg_3')).toEqual(items.slice(4, 7))
  expect(await page(3, true, null)).toEqual(items.slice(4).toReversed())
  expect(await page(3, true, 'msg_4')).toEqual(items.slice(1, 4).toReversed())
  expect(await page(3, true, 'msg_none')).toBeNull()
  expect(await conversations.item(id, 'msg_2')).toEqual(items[2]!)
  expect(await conversations.item(id, 'metadata')).toBeNull()
  expect([await conversations.deleteItem(id, 'msg_2'), await conversations.deleteItem(id, 'msg_2')]).toEqual([
    true,
    false,
  ])
  expect(await page(100, false, null)).toEqual(items.filter((item) => item.id !== 'msg_2'))
  expect(await conversations.metadata(id)).toBe('{"topic":"x"}')
  expect(await conversations.setMetadata(id, '{"topic":"y"}')).toBe(true)
  expect(await conversations.metadata(id)).toBe('{"topic":"y"}')
  expect(await conversations.purgeBefore(now + 1, 10)).toBe(0)
  expect(await conversations.purgeBefore(now + 2, 10)).toBe(1)
  expect(await conversations.find(id)).toBeNull()
  expect(await conversations.append(id, items, { now, bytesMax: noLimit })).toBe(false)
  expect(await conversations.setMetadata(id, '{}')).toBe(false)
}

async function appendsTogether({ conversations }: Store): Promise<void> {
  const id = await aConversation(conversations)
  const writers = Array.from({ length: 8 }, (_, writer) =>
    Array.from({ length: 5 }, (__, at) => ({ id: `msg_${writer}_${at}`, text: String(at) })),
  )
  await Promise.all(writers.map((items) => conversations.append(id, items, { now, bytesMax: noLimit })))
  const found = (await conversations.items(id, { limit: 100, descending: false, after: null })) ?? []
  expect(found).toHaveLength(40)
  for (const items of writers) {
    const first = found.findIndex((item) => item.id === items[0]!.id)
    expect(found.slice(first, first + 5)).toEqual(items)
  }
  expect(await rejection(conversations.append(id, writers[0]!, { now, bytesMax: noLimit }))).toBeInstanceOf(Error)
  expect(await conversations.items(id, { limit: 100, descending: false, after: null })).toHaveLength(40)
}
