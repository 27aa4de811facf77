/** What the form of a model makes of a record and of what is typed. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  compositeOnWire,
  emptyComposite,
  moved,
  withComponent,
  withoutComponent,
  withStrategy,
} from '../../ui/src/routes/model/composite-draft.ts'
import { bodyOf, copyOf, draftOf, newDraft } from '../../ui/src/routes/model/model-draft.ts'
import {
  inheritedReasoning,
  reasoningOf,
  reasoningOnWire,
  withEffort,
  withMode,
  withoutEffort,
} from '../../ui/src/routes/model/reasoning-draft.ts'

const plain = {
  id: 'm1',
  etag: '"1"',
  name: 'chat',
  aliases: ['assistant'],
  provider_id: 'p1',
  upstream_name: 'vendor/chat',
  composite: null,
  rules: { realtime: { action: 'deny' as const }, batch: { action: 'redirect' as const, model: 'm2' } },
  reasoning: {
    efforts: ['low', 'high'] as const,
    writes: [{ pointer: '/thinking/budget', values: { low: 1024, high: { tokens: 8000 } } }],
  },
  description: 'A model',
  active: false,
  context_length: 128_000,
  capabilities: { endpoints: ['chat/completions'], input: ['text'], tools: true, json_schema: false },
  groups: ['g1', 'g2'],
  inflight_limit: 3,
  max_concurrent: null,
  batch: 'native' as const,
  timeouts: { connect_seconds: 0.5, total_seconds: 90 },
  declared: false,
  created_at: '2026-01-01T00:00:00.000Z',
}

const composite = {
  ...plain,
  provider_id: null,
  upstream_name: null,
  reasoning: null,
  composite: {
    strategy: 'priority' as const,
    components: [
      { model: 'a', weight: 1, priority: 0, enabled: true },
      { model: 'b', weight: 7, priority: 4, enabled: false },
    ],
    failover: { statuses: [500, 529], max_attempts: 2, budget_seconds: 1.5 },
  },
}

/** What the server would keep: without what only it sets, and what the form leaves as it is. */
function sentFields(model: typeof plain | typeof composite) {
  const { id: _id, etag: _etag, declared: _declared, created_at: _at, max_concurrent: _cap, ...fields } = model
  return fields
}

describe('the form of a model', () => {
  test('a plain model that nobody touched is sent as it was', () => {
    const { composite: _none, ...fields } = sentFields(plain)
    expect<object>(bodyOf(draftOf(plain))).toEqual(fields)
  })

  test('a composite that nobody touched is sent as it was, and nothing of a provider', () => {
    const { provider_id: _provider, upstream_name: _name, reasoning: _reasoning, ...fields } = sentFields(composite)
    expect<object>(bodyOf(draftOf(composite))).toEqual(fields)
  })

  test('what was emptied is sent as nothing, so that the settings hold again', () => {
    const timeouts = { connect_seconds: '', first_token_seconds: '', idle_seconds: '', total_seconds: ' ' }
    const body = bodyOf({ ...draftOf(plain), inflightLimit: '', contextLength: '', timeouts, tools: '', endpoints: [] })
    expect([body.inflight_limit, body.context_length, body.timeouts]).toEqual([null, null, {}])
    expect(body.capabilities).toEqual({ input: ['text'], json_schema: false })
  })

  test('without a name of the provider’s own it is the model’s', () => {
    const body = bodyOf({ ...newDraft('plain', []), name: ' chat ', providerId: 'p1' })
    expect([body.name, body.upstream_name]).toEqual(['chat', 'chat'])
  })

  test('a copy has another name and no aliases', () => {
    const { name, aliases, ...rest } = copyOf(plain)
    const { name: _name, aliases: _aliases, ...same } = draftOf(plain)
    expect([name, aliases]).toEqual(['chat-copy', []])
    expect(rest).toEqual(same)
  })
})

describe('the components of a composite', () => {
  const three = ['a', 'b', 'c'].reduce(withComponent, { ...emptyComposite, strategy: 'priority' as const })
  const priorities = (draft: typeof three) => draft.components.map(({ model, priority }) => `${model}${priority}`)

  test('with a priority each new one is asked after the others', () => {
    expect(priorities(three)).toEqual(['a0', 'b1', 'c2'])
    expect(priorities(withComponent(withoutComponent(three, 0), 'd'))).toEqual(['b1', 'c2', 'd3'])
  })

  test('wherever one is moved, all are there once and the places keep their priorities', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(2), fc.nat(2)), { maxLength: 20 }), (moves) => {
        const after = moves.reduce((draft, [from, to]) => moved(draft, from, to), three)
        expect(after.components.map(({ priority }) => priority)).toEqual(['0', '1', '2'])
        expect(after.components.map(({ model }) => model).toSorted()).toEqual(['a', 'b', 'c'])
      }),
    )
  })

  test('the order of the list becomes the priorities only when they said nothing', () => {
    const same = ['a', 'b'].reduce(withComponent, emptyComposite)
    expect(priorities(withStrategy(same, 'priority'))).toEqual(['a0', 'b1'])
    expect(priorities(withStrategy(withStrategy(moved(three, 0, 2), 'latency'), 'priority'))).toEqual([
      'b0',
      'c1',
      'a2',
    ])
  })

  test('statuses are read with commas and blanks; empty fields are left to the settings', () => {
    expect(compositeOnWire({ ...emptyComposite, statuses: ' 500,503 529 ' }).failover).toEqual({
      statuses: [500, 503, 529],
    })
    expect(compositeOnWire(emptyComposite).failover).toEqual({})
  })
})

describe('reasoning', () => {
  test('what a record says comes back as it was, whatever the values are', () => {
    const value = fc.jsonValue().map((each) => JSON.parse(JSON.stringify(each)) as unknown)
    fc.assert(
      fc.property(value, value, (low, high) => {
        const reasoning = { efforts: ['low', 'high'] as const, writes: [{ pointer: '/x', values: { low, high } }] }
        expect(reasoningOnWire(reasoningOf(reasoning))).toEqual(reasoning)
      }),
    )
  })

  test('its own begins as OpenAI has it: each effort puts its own name', () => {
    const own = withEffort(withEffort(withMode(inheritedReasoning, 'own'), 'high'), 'low')
    expect(reasoningOnWire(own)).toEqual({
      efforts: ['low', 'high'],
      writes: [{ pointer: '/reasoning_effort', values: { low: 'low', high: 'high' } }],
    })
    expect(reasoningOnWire(withoutEffort(own, 'high'))).toEqual({
      efforts: ['low'],
      writes: [{ pointer: '/reasoning_effort', values: { low: 'low' } }],
    })
  })

  test('as its provider’s is nothing, and none at all is no efforts', () => {
    expect(reasoningOnWire(inheritedReasoning)).toBeNull()
    expect(reasoningOnWire({ ...inheritedReasoning, mode: 'none' })).toEqual({ efforts: [], writes: [] })
  })
})
