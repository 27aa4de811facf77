import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { aiSdkProvider } from './ai-sdk.ts'
import { responseOf } from '#test/support/network/reply-response.ts'
import { eventsIn, providerContract, upstreamCall } from '#test/support/contract/provider-contract.ts'
import { startUpstream, type ReceivedRequest, type Upstream } from '#test/support/upstream/upstream.ts'
import type { Behaviour } from '#test/support/upstream/upstream-behaviours.ts'
import { replay, vendorRecord, vendorStreams } from '#test/support/upstream/vendor-fixtures.ts'
import { anthropicWire, googleWire } from '#test/support/upstream/vendor-wires.ts'

interface Delta {
  readonly role?: string
  readonly content?: string
  readonly reasoning_content?: string
  readonly reasoning_details?: readonly object[]
  readonly tool_calls?: readonly {
    readonly index: number
    readonly id?: string
    readonly function: { readonly name?: string; readonly arguments?: string }
    readonly extra_content?: object
  }[]
}

interface Chunk {
  readonly choices: readonly { readonly delta: Delta; readonly finish_reason: string | null }[]
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number }
}

/** The contract's cases against a server that speaks the vendor's dialect. */
function contract(kind: string, wire: (request: ReceivedRequest) => Behaviour, more: object, skip = {}): void {
  providerContract(
    kind,
    async () => {
      const upstream = await startUpstream()
      upstream.script(wire)
      return {
        provider: aiSdkProvider(vendorRecord(kind, upstream.url)),
        chatModel: kind === 'google' ? 'gemini-2.5-flash' : 'claude-sonnet-4-5',
        echoes: true,
        close: () => upstream.close(),
        ...more,
      }
    },
    skip,
  )
}

contract(
  'anthropic',
  anthropicWire,
  {},
  { 'embeddings come in the order of their inputs and in one dimension': 'Anthropic has no embeddings' },
)
contract('google', googleWire, { embedModel: 'gemini-embedding-001' })

const tools = ['get_weather', 'get_time'].map((name) => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties: { city: { type: 'string' } } } },
}))

describe('a recorded stream', () => {
  let upstream: Upstream
  beforeAll(async () => {
    upstream = await startUpstream()
  })
  afterAll(() => upstream.close())

  async function deltas(kind: string, model: string): Promise<{ chunks: Chunk[]; events: readonly string[] }> {
    const body = {
      model,
      messages: [{ role: 'user', content: 'Weather and time in Łódź?' }],
      tools,
      stream: true,
      stream_options: { include_usage: true },
    }
    const provider = aiSdkProvider(vendorRecord(kind, upstream.url))
    const response = await provider.send(upstreamCall('chat/completions', body)).then(responseOf)
    expect(response.status).toBe(200)
    const events = eventsIn(await response.text())
    return { events, chunks: events.filter((event) => event !== '[DONE]').map((event) => JSON.parse(event) as Chunk) }
  }

  for (const kind of ['anthropic', 'google', 'mistral', 'cohere', 'bedrock']) {
    test(`of ${kind} gives the same thought, text and calls however its bytes are cut`, async () => {
      const recorded = (await vendorStreams()).find((each) => each.kind === kind)
      if (recorded === undefined) throw new Error(`no recorded stream of ${kind}`)
      const cuts = fc.uniqueArray(fc.integer({ min: 1, max: recorded.bytes.length - 1 }), { maxLength: 40 })
      await fc.assert(
        fc.asyncProperty(cuts, async (offsets) => {
          upstream.script(
            replay(
              recorded,
              offsets.toSorted((a, b) => a - b),
            ),
          )
          const { chunks, events } = await deltas(kind, recorded.model)
          expect(events.at(-1)).toBe('[DONE]')
          const parts = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta))
          expect(parts[0]?.role).toBe('assistant')
          expect(parts.map((delta) => delta.content ?? '').join('')).toBe('I will look: Łódź 🌦')
          expect(parts.map((delta) => delta.reasoning_content ?? '').join('')).toContain('Łódź')
          expect(callsIn(parts)).toMatchObject([
            { name: 'get_weather', arguments: { city: 'Łódź' } },
            { name: 'get_time', arguments: {} },
          ])
          const reasons = chunks.flatMap(({ choices }) => choices.map((choice) => choice.finish_reason))
          expect(reasons.filter((reason) => reason !== null)).toEqual(['tool_calls'])
          expect(chunks.at(-1)?.usage?.completion_tokens).toBeGreaterThan(20)
        }),
        { numRuns: 8, examples: [[[]], [Array.from({ length: 200 }, (_, index) => index + 300)]] },
      )
      expect(upstream.malformed).toEqual([])
    })
  }

  test('of Anthropic brings the signature of its thought, and of Google the one of its call', async () => {
    const recorded = await vendorStreams()
    const sent: Delta[][] = []
    for (const kind of ['anthropic', 'google']) {
      const stream = recorded.find((each) => each.kind === kind)
      if (stream === undefined) throw new Error(`no recorded stream of ${kind}`)
      upstream.script(replay(stream, []))
      const { chunks } = await deltas(kind, stream.model)
      sent.push(chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta)))
    }
    expect(sent[0]?.flatMap((delta) => delta.reasoning_details ?? [])).toMatchObject([
      {
        text: expect.stringContaining('two places'),
        extra_content: { anthropic: { signature: 'EqQBCgIYAhIkFixture' } },
      },
    ])
    expect(sent[1]?.flatMap((delta) => delta.tool_calls ?? []).find((call) => call.extra_content)).toMatchObject({
      extra_content: { google: { thoughtSignature: 'CsFixtureSignature' } },
    })
  })
})

function callsIn(parts: readonly Delta[]): readonly { name: string; arguments: unknown }[] {
  const calls: { name: string; text: string }[] = []
  for (const { index, function: called } of parts.flatMap((delta) => delta.tool_calls ?? [])) {
    const call = (calls[index] ??= { name: '', text: '' })
    call.name += called.name ?? ''
    call.text += called.arguments ?? ''
  }
  return calls.map(({ name, text }) => ({ name, arguments: JSON.parse(text) as unknown }))
}
