/** Lines that go to the provider as a batch of its own: whatever happens to it, each line has one result. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { filesOfTest, type BatchOnWire } from '#test/support/batches/file-client.ts'
import {
  nativeFaults,
  startNativeProvider,
  type NativeFault,
  type NativeProvider,
} from '#test/support/batches/native-provider.ts'
import { until } from '#test/support/until.ts'

const files = filesOfTest({
  set: ['batches.lease_seconds=1', 'batches.native_poll_seconds=0.05'],
})
const vendors = [
  { kind: 'openai', endpoint: '/v1/chat/completions' },
  { kind: 'anthropic', endpoint: '/v1/messages' },
  { kind: 'google', endpoint: '/v1/chat/completions' },
] as const
type Kind = (typeof vendors)[number]['kind']

const providers = new Map<Kind, NativeProvider>()

beforeAll(async () => {
  for (const { kind } of vendors) {
    const provider = startNativeProvider()
    providers.set(kind, provider)
    const address =
      kind === 'google' ? { base_url: provider.googleUrl, credential: 'key-of-google' } : { base_url: provider.url }
    const { id } = await operated('POST', '/providers', { name: `own-${kind}`, kind, ...address })
    for (const fault of nativeFaults) await addModel(kind, id, { fault, batch: 'native' })
    await addModel(kind, id, { fault: 'here', batch: 'local' })
  }
})
afterAll(() => {
  for (const provider of providers.values()) provider[Symbol.dispose]()
})

async function operated(method: string, path: string, body: object): Promise<{ readonly id: string }> {
  const answer = await files().gateway.operate(method, path, body)
  expect([answer.status, path]).toEqual([201, path])
  return (await answer.json()) as { readonly id: string }
}

async function addModel(
  kind: Kind,
  providerId: string,
  { fault, batch }: { readonly fault: string; readonly batch: string },
): Promise<void> {
  const { id } = await operated('POST', '/models', {
    name: `${kind}-${fault}`,
    upstream_name: fault,
    provider_id: providerId,
    batch,
  })
  await operated('POST', `/models/${id}/prices`, { rates: { input: 2_000_000_000, output: 10_000_000_000 } })
}

/** A batch whose lines have these models in turn. */
async function start(kind: Kind, models: readonly string[], { count = 6, window = '24h' } = {}): Promise<string> {
  const endpoint = vendors.find((vendor) => vendor.kind === kind)?.endpoint
  const lines = Array.from({ length: count }, (_, at) => {
    const body = {
      model: `${kind}-${models[at % models.length]}`,
      max_tokens: 9,
      messages: [{ role: 'user', content: 'x' }],
    }
    return JSON.stringify({ custom_id: `id "${at}"`, method: 'POST', url: endpoint, body })
  })
  const { id } = await files().uploaded(lines.join('\n'))
  const made = await files().create({ input_file_id: id, endpoint, completion_window: window })
  expect(made.status).toBe(200)
  return ((await made.json()) as BatchOnWire).id
}

async function read(id: string): Promise<BatchOnWire> {
  return (await (await files().get(`/batches/${id}`)).json()) as BatchOnWire
}

async function endOf(id: string, status = 'completed'): Promise<readonly Line[]> {
  let batch = await read(id)
  await until(async () => (batch = await read(id)).status === status)
  const texts = await Promise.all(
    [batch.output_file_id, batch.error_file_id].map(async (file) =>
      file === null ? '' : (await files().get(`/files/${file}/content`)).text(),
    ),
  )
  return texts
    .join('')
    .split('\n')
    .flatMap((text) => (text === '' ? [] : [JSON.parse(text) as Line]))
}

interface Line {
  readonly custom_id: string
  readonly response: { readonly status_code: number; readonly body: unknown } | null
  readonly error: { readonly code: string } | null
}

/** Who has answered a line: the provider's batch, a live call of it, or an error. */
function originOf({ response, error }: Line): string {
  if (response === null) return error?.code ?? ''
  if (response.status_code >= 400) return String(response.status_code)
  return JSON.stringify(response.body).includes('"batch"') ? 'batch' : 'live'
}

function numberOf({ custom_id: customId }: Line): number {
  return Number(/\d+/.exec(customId)?.[0])
}

function inOrder(lines: readonly Line[]): readonly string[] {
  return lines.toSorted((one, other) => numberOf(one) - numberOf(other)).map(originOf)
}

const [batch6, live6] = [Array<string>(6).fill('batch'), Array<string>(6).fill('live')]
const ends: Readonly<Record<NativeFault, readonly string[]>> = {
  ok: batch6,
  shuffled: batch6,
  partial: [...batch6.slice(3), ...live6.slice(3)],
  'refused-lines': Array<string>(6).fill('400'),
  'overloaded-lines': live6,
  failed: live6,
  'lost-batch': live6,
  'lost-file': live6,
  'poll-errors': batch6,
  'lost-answer': batch6,
  refused: live6,
}

test.each(vendors)(
  'whatever happens to batches at %o, each line has one result, and none is handed over twice',
  async ({ kind }) => {
    const provider = providers.get(kind)!
    const started = await Promise.all(nativeFaults.map(async (fault) => [fault, await start(kind, [fault])] as const))
    // Anthropic's have no state of failure.
    const isPossible = (fault: NativeFault): boolean => kind !== 'anthropic' || fault !== 'failed'
    const made = nativeFaults.filter((fault) => fault !== 'refused')
    await until(() => provider.batches.length === made.length)
    provider.endAll()
    for (const [fault, id] of started)
      if (isPossible(fault)) expect([fault, inOrder(await endOf(id))]).toEqual([fault, ends[fault]])
    expect(provider.batches.map(({ model }) => model).toSorted()).toEqual(made.toSorted())
    expect(new Set(provider.batches.map(({ token }) => token)).size).toBe(made.length)
  },
  60_000,
)

test('lines of other models in the same batch run here, and each has its result', async () => {
  const provider = providers.get('openai')!
  const before = provider.batches.length
  const lines = await endOf(await start('openai', ['ok', 'here', 'shuffled'], { count: 250 }))
  expect(inOrder(lines)).toEqual(Array.from({ length: 250 }, (_, at) => ['batch', 'live', 'batch'][at % 3] ?? ''))
  expect(lines.map(numberOf).toSorted((one, other) => one - other)).toEqual(Array.from({ length: 250 }, (_, at) => at))
  expect(provider.batches.length - before).toBe(2)
}, 60_000)

test('a window that is shorter than a provider’s day runs here', async () => {
  expect(inOrder(await endOf(await start('openai', ['ok'], { window: '23h' })))).toEqual(live6)
})

test.each(vendors)(
  'answers of a provider’s batch cost half, others the whole price: %o',
  async ({ kind }) => {
    const before = new Set((await files().gateway.usageRows()).map(({ requestId }) => requestId))
    await endOf(await start(kind, ['ok', 'here'], { count: 2 }))
    const rows = (await files().gateway.usageRows()).filter(({ requestId }) => !before.has(requestId))
    const costs = new Map(rows.map(({ modelServed, cost }) => [modelServed, cost]))
    expect(Object.fromEntries(costs)).toEqual({ [`${kind}-ok`]: 1_500_000, [`${kind}-here`]: 3_000_000 })
  },
  60_000,
)

test('embeddings at Google: a request for several is several of the batch, and has its vectors in order', async () => {
  const provider = providers.get('google')!
  const before = provider.batches.length
  const inputs = ['a', ['bb', 'ccc', ''.padEnd(12, 'd')], ['e'.repeat(7)]]
  const lines = inputs.map((input, at) =>
    JSON.stringify({
      custom_id: `id-${at}`,
      method: 'POST',
      url: '/v1/embeddings',
      body: { model: 'google-shuffled', input, dimensions: 2 },
    }),
  )
  const { id } = await files().uploaded(lines.join('\n'))
  const made = await files().create({ input_file_id: id, endpoint: '/v1/embeddings', completion_window: '24h' })
  const answers = await endOf(((await made.json()) as BatchOnWire).id)
  const lengths = answers
    .toSorted((one, other) => numberOf(one) - numberOf(other))
    .map(({ response }) => {
      const { data } = (response?.body ?? { data: [] }) as {
        readonly data: readonly { readonly embedding: readonly number[] }[]
      }
      return data.map(({ embedding }) => embedding[0])
    })
  expect(lengths).toEqual([[1], [2, 3, 12], [7]])
  expect(provider.batches.slice(before).map((batch) => batch.lines.length)).toEqual([5])
}, 60_000)

test('a line that Google’s API has no words for runs here, and is refused as a live call', async () => {
  const provider = providers.get('google')!
  const before = provider.batches.length
  const body = { model: 'google-ok', logit_bias: { 5: 1 }, messages: [{ role: 'user', content: 'x' }] }
  const url = '/v1/chat/completions'
  const { id } = await files().uploaded(JSON.stringify({ custom_id: 'id-0', method: 'POST', url, body }))
  const made = await files().create({ input_file_id: id, endpoint: url, completion_window: '24h' })
  expect(inOrder(await endOf(((await made.json()) as BatchOnWire).id))).toEqual(['400'])
  expect(provider.batches.length).toBe(before)
}, 60_000)

test.each(vendors)(
  '%o: a cancelled batch is cancelled there, and what was done by then has its result',
  async ({ kind }) => {
    const provider = providers.get(kind)!
    provider.endsAtOnce = false
    const before = provider.batches.length
    const id = await start(kind, ['ok'])
    await until(() => provider.batches.length > before)
    expect((await files().gateway.request('POST', `/ai/v1/batches/${id}/cancel`)).status).toBe(200)
    const lines = await endOf(id, 'cancelled')
    expect(provider.batches.at(-1)?.state).toBe('cancelled')
    expect(inOrder(lines)).toEqual([...batch6.slice(3), ...Array<string>(3).fill('batch_cancelled')])
  },
  60_000,
)

test('a batch whose window is over is cancelled at the provider, too', async () => {
  const provider = providers.get('openai')!
  provider.endsAtOnce = false
  const before = provider.batches.length
  const id = await start('openai', ['ok', 'here'])
  await until(() => provider.batches.length > before)
  files().gateway.advance(25 * 3_600_000)
  const origins = inOrder(await endOf(id, 'expired'))
  expect(provider.batches.at(-1)?.state).toBe('cancelled')
  expect(origins.filter((each) => each === 'batch')).toHaveLength(2)
  expect(new Set(origins)).toEqual(new Set(['batch', 'live', 'batch_expired']))
}, 60_000)

test('lines of an account under a hard budget run here, since nothing can be reserved for a day', async () => {
  const provider = providers.get('openai')!
  const before = provider.batches.length
  const { gateway } = files()
  const budget = {
    scope: 'user',
    scope_id: gateway.keys.main.userId,
    period: 'total',
    amount: 1_000_000_000,
    hard: true,
  }
  await operated('POST', '/budgets', budget)
  expect(inOrder(await endOf(await start('openai', ['ok'])))).toEqual(live6)
  expect(provider.batches.length).toBe(before)
}, 60_000)
