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
] as const
type Kind = (typeof vendors)[number]['kind']

const providers = new Map<Kind, NativeProvider>()

beforeAll(async () => {
  for (const { kind } of vendors) {
    const provider = startNativeProvider()
    providers.set(kind, provider)
    const { id } = await operated('POST', '/providers', { name: `own-${kind}`, kind, base_url: provider.url })
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
    const isPossible = (fault: NativeFault): boolean => kind === 'openai' || fault !== 'failed'
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

test('answers of a provider’s batch cost half, others the whole price', async () => {
  const before = new Set((await files().gateway.usageRows()).map(({ requestId }) => requestId))
  await endOf(await start('openai', ['ok', 'here'], { count: 2 }))
  const rows = (await files().gateway.usageRows()).filter(({ requestId }) => !before.has(requestId))
  const costs = new Map(rows.map(({ modelServed, cost }) => [modelServed, cost]))
  expect(Object.fromEntries(costs)).toEqual({ 'openai-ok': 1_500_000, 'openai-here': 3_000_000 })
}, 60_000)

test('a cancelled batch is cancelled at the provider, and what was done there by then has its result', async () => {
  const provider = providers.get('openai')!
  provider.endsAtOnce = false
  const before = provider.batches.length
  const id = await start('openai', ['ok'])
  await until(() => provider.batches.length > before)
  expect((await files().gateway.request('POST', `/ai/v1/batches/${id}/cancel`)).status).toBe(200)
  const lines = await endOf(id, 'cancelled')
  expect(provider.batches.at(-1)?.state).toBe('cancelled')
  expect(inOrder(lines)).toEqual([...batch6.slice(3), ...Array<string>(3).fill('batch_cancelled')])
}, 60_000)

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
