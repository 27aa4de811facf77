/** Composites, traffic rules and reasoning of models in the admin API. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { everyoneGroupId } from '#identity/records.ts'
import { startAdminApp, type AdminApp, type Answer } from '#test/support/app/admin-app.ts'

let app: AdminApp
let providerId: string
beforeAll(async () => {
  app = await startAdminApp()
  const answer = await app.call<{ id: string }>('POST', '/providers', { body: { name: 'practice', kind: 'demo' } })
  providerId = answer.body.id
})
afterAll(() => app[Symbol.asyncDispose]())

interface Model {
  readonly id: string
  readonly name: string
}

let count = 0
function post(fields: object): Promise<Answer<Model>> {
  return app.call<Model>('POST', '/models', { body: { name: `model-${(count += 1)}`, ...fields } })
}

function patch({ id }: Model, body: object): Promise<Answer<Model>> {
  return app.call<Model>('PATCH', `/models/${id}`, { body })
}

async function made(answer: Promise<Answer<Model>>): Promise<Model> {
  const { status, text, body } = await answer
  expect([status, text]).toEqual([201, text])
  return body
}

/** A plain model that answers. */
function plain(fields: object = {}): Promise<Model> {
  return made(post({ provider_id: providerId, upstream_name: 'demo-chat', ...fields }))
}

function composite(components: readonly (Model | object)[], fields: object = {}): Promise<Model> {
  const written = components.map((each) => ('id' in each ? { model: each.id } : each))
  return made(post({ composite: { components: written, ...fields } }))
}

async function expectRefused(answer: Promise<Answer<unknown>>, param: string): Promise<void> {
  const { status, code, param: named } = await answer
  expect([status, code, named]).toEqual([422, 'validation_failed', param])
}

function chat(model: string): Promise<Answer<unknown>> {
  const messages = [{ role: 'user', content: 'Hello' }]
  return app.call('POST', '//ai/v1/chat/completions', { key: app.userKey, body: { model, messages } })
}

describe('a composite', () => {
  test('takes components by name, alias and id, and answers with what it was made of', async () => {
    const [one, two, three] = [await plain(), await plain({ aliases: ['second'] }), await plain()]
    const components = [
      { model: one.name, weight: 5 },
      { model: 'second', priority: 2, enabled: false },
      { model: three.id },
    ]
    const failover = { statuses: [429, 500], max_attempts: 2, budget_seconds: 1.5 }
    const model = await composite(components, { strategy: 'priority', failover })
    expect(model).toMatchObject({
      provider_id: null,
      upstream_name: null,
      reasoning: null,
      composite: {
        strategy: 'priority',
        components: [
          { model: one.id, weight: 5, priority: 0, enabled: true },
          { model: two.id, weight: 1, priority: 2, enabled: false },
          { model: three.id, weight: 1, priority: 0, enabled: true },
        ],
        failover,
      },
      groups: [everyoneGroupId],
    })
    expect((await app.call<Model>('GET', `/models/${model.id}`)).body).toEqual(model)
    const { composite: same } = model as Model & { composite: object }
    expect((await patch(model, { composite: same })).body).toEqual(model)
    expect(await made(post({ composite: same }))).toMatchObject({ composite: same })
  })

  test('answers the next request through a component, from the moment of each change', async () => {
    const [one, two] = [await plain(), await plain()]
    const model = await composite([one, two])
    expect((await chat(model.name)).status).toBe(200)
    await patch(one, { active: false })
    expect((await chat(model.name)).status).toBe(200)
    const components = [{ model: one.id }, { model: two.id, enabled: false }]
    await patch(model, { composite: { components } })
    expect((await chat(model.name)).code).toBe('upstream_unavailable')
    await patch(one, { active: true })
    expect((await chat(model.name)).status).toBe(200)
  })

  test('gives access to what its components alone would not', async () => {
    const closed = await plain({ groups: [] })
    const model = await composite([closed])
    expect((await chat(closed.name)).code).toBe('model_access_denied')
    expect((await chat(model.name)).status).toBe(200)
  })

  test('can become plain, and a plain model a composite', async () => {
    const [one, two] = [await plain(), await plain({ reasoning: { efforts: [] } })]
    const composed = { components: [{ model: one.id }] }
    const became = await patch(two, { composite: composed })
    expect(became.body).toMatchObject({ provider_id: null, upstream_name: null, reasoning: null })
    expect((await patch(two, { upstream_name: 'demo-chat' })).param).toBe('provider_id')
    const back = await patch(two, { provider_id: providerId })
    expect(back.body).toMatchObject({ provider_id: providerId, upstream_name: two.name, composite: null })
    expect((await app.call('DELETE', `/models/${one.id}`)).status).toBe(204)
  })

  test('cannot stand in a composite, whichever way round', async () => {
    const [one, two] = [await plain(), await plain()]
    const inner = await composite([one])
    await expectRefused(
      post({ composite: { components: [{ model: two.id }, { model: inner.name }] } }),
      'composite.components.1.model',
    )
    await expectRefused(patch(one, { composite: { components: [{ model: two.id }] } }), 'composite')
    await expectRefused(patch(two, { composite: { components: [{ model: two.id }] } }), 'composite.components.0.model')
    expect((await app.call<Model>('GET', `/models/${one.id}`)).body).toEqual(one)
  })

  test('that cannot be is 422 with the field', async () => {
    const one = await plain({ aliases: ['one-alias'] })
    const attempt = (components: unknown, fields: object = {}) => post({ composite: { components, ...fields } })
    await expectRefused(attempt([]), 'composite.components')
    await expectRefused(attempt([{ model: 'nobody' }]), 'composite.components.0.model')
    await expectRefused(attempt([{ model: crypto.randomUUID() }]), 'composite.components.0.model')
    await expectRefused(attempt([{ model: one.id }, { model: one.id }]), 'composite.components.1.model')
    await expectRefused(attempt([{ model: one.id }, { model: 'one-alias' }]), 'composite.components.1.model')
    await expectRefused(attempt([{ model: one.id, weight: 101 }]), 'composite.components.0.weight')
    await expectRefused(attempt([{ model: one.id, priority: -1 }]), 'composite.components.0.priority')
    await expectRefused(attempt([{ model: one.id }], { strategy: 'random' }), 'composite.strategy')
    await expectRefused(
      attempt([{ model: one.id }], { failover: { statuses: [200] } }),
      'composite.failover.statuses.0',
    )
    await expectRefused(post({ composite: { components: [{ model: one.id }] }, provider_id: providerId }), 'composite')
    await expectRefused(
      post({ composite: { components: [{ model: one.id }] }, reasoning: { efforts: [] } }),
      'reasoning',
    )
    await expectRefused(post({}), 'provider_id')
  })
})

describe('a model that others lead to', () => {
  test('cannot be deleted, and neither can its provider with it; the answer names the others', async () => {
    const provider = await app.call<{ id: string }>('POST', '/providers', { body: { name: 'leaving', kind: 'demo' } })
    const path = `/providers/${provider.body.id}`
    const one = await plain({ provider_id: provider.body.id })
    const all = await composite([one])
    for (const address of [`/models/${one.id}`, `${path}?cascade=true`]) {
      const refused = await app.call('DELETE', address)
      expect([refused.status, refused.code, refused.text.includes(all.name)]).toEqual([409, 'conflict', true])
    }
    expect((await chat(all.name)).status).toBe(200)
    expect((await app.call('DELETE', `/models/${all.id}`)).status).toBe(204)
    expect((await app.call('DELETE', `${path}?cascade=true`)).status).toBe(204)
  })

  test('by a redirect neither, until the rule is gone', async () => {
    const one = await plain()
    const other = await plain({ rules: { batch: { action: 'redirect', model: one.name } } })
    const refused = await app.call('DELETE', `/models/${one.id}`)
    expect([refused.status, refused.code, refused.text.includes(other.name)]).toEqual([409, 'conflict', true])
    await patch(other, { rules: {} })
    expect((await app.call('DELETE', `/models/${one.id}`)).status).toBe(204)
  })
})

describe('traffic rules', () => {
  test('come back with ids, are kept by other changes, and are replaced whole', async () => {
    const target = await plain({ aliases: ['the-target'] })
    const written = { realtime: { action: 'redirect', model: 'the-target' }, batch: { action: 'deny' } }
    const model = await plain({ rules: written })
    const stored = { ...written, realtime: { action: 'redirect', model: target.id } }
    expect(model).toMatchObject({ rules: stored })
    expect((await patch(model, { description: 'x' })).body).toMatchObject({ rules: stored })
    expect((await patch(model, { rules: { realtime: { action: 'deny' } } })).body).toMatchObject({
      rules: { realtime: { action: 'deny' } },
    })
    expect((await patch(model, { rules: {} })).body).toMatchObject({ rules: {} })
  })

  test('that lead nowhere, to themselves or to another redirect are 422 with the field', async () => {
    const [one, two, three] = [await plain(), await plain(), await plain()]
    const to = (model: string) => ({ rules: { realtime: { action: 'redirect', model } } })
    const param = 'rules.realtime.model'
    await expectRefused(patch(one, to('nobody')), param)
    await expectRefused(patch(one, to(one.name)), param)
    expect((await patch(one, to(two.name))).status).toBe(200)
    await expectRefused(patch(two, to(one.name)), param)
    await expectRefused(patch(two, to(three.name)), param)
    await expectRefused(patch(three, to(one.id)), param)
    await expectRefused(patch(three, { rules: { realtime: { action: 'delay' } } }), 'rules.realtime.action')
    await expectRefused(patch(three, { rules: { night: { action: 'deny' } } }), 'rules.night')
    // Another purpose is another matter.
    expect((await patch(three, { rules: { batch: { action: 'redirect', model: one.id } } })).status).toBe(200)
  })
})

describe('reasoning', () => {
  const reasoning = {
    efforts: ['none', 'high'],
    writes: [{ pointer: '/thinking', values: { none: { type: 'disabled' }, high: { type: 'enabled' } } }],
  }

  test('of a model and of a provider comes back as it was sent, and null takes it away', async () => {
    const model = await plain({ reasoning: { ...reasoning, efforts: ['high', 'none'] } })
    expect(model).toMatchObject({ reasoning })
    expect((await patch(model, { reasoning: null })).body).toMatchObject({ reasoning: null })
    const path = `/providers/${providerId}`
    expect((await app.call('PATCH', path, { body: { reasoning } })).body).toMatchObject({ reasoning })
    expect((await app.call('PATCH', path, { body: { reasoning: null } })).body).toMatchObject({ reasoning: null })
  })

  test('that cannot be is 422 with the field', async () => {
    const model = await plain()
    const refused = (fields: object, param: string) => expectRefused(patch(model, { reasoning: fields }), param)
    await refused({ efforts: ['huge'] }, 'reasoning.efforts.0')
    await refused({ efforts: ['low'] }, 'reasoning.writes')
    await refused({ ...reasoning, writes: [{ pointer: '/model', values: {} }] }, 'reasoning.writes.0.pointer')
    await expectRefused(patch(await composite([model]), { reasoning }), 'reasoning')
  })
})
