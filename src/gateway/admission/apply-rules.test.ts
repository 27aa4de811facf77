import { describe, expect, test } from 'bun:test'
import { Catalog } from '#catalog/catalog.ts'
import type { ModelRecord, Purpose, TrafficRules } from '#catalog/records.ts'
import { ApiError } from '#errors/api-error.ts'
import { everyoneGroupId, type Caller } from '#identity/records.ts'
import { aComposite, aKey, aModel, aProvider, aUser } from '#test/support/store/store-records.ts'
import { applyRules } from './apply-rules.ts'

const provider = aProvider()
const user = aUser()
const account = { user, groupIds: new Set([everyoneGroupId]) }
const caller: Caller = { account, key: null }

function model(name: string, rules: TrafficRules = {}, fields: Partial<ModelRecord> = {}): ModelRecord {
  return aModel(provider.id, { name, rules, groupIds: [everyoneGroupId], ...fields })
}

function redirect(to: ModelRecord): TrafficRules {
  return { realtime: { action: 'redirect', modelId: to.id } }
}

/** Name of the model that serves `first`, or the code and status of the refusal. */
function outcome(models: readonly ModelRecord[], purpose: Purpose = 'realtime', by = caller): string {
  const catalog = new Catalog({ providers: [provider], models, inflightOverrides: [] })
  const resolution = catalog.resolve('first', by)
  if (resolution.kind !== 'found') return resolution.kind
  try {
    return applyRules(catalog, resolution.model, by, purpose).record.name
  } catch (thrown) {
    if (!(thrown instanceof ApiError)) throw thrown
    expect(thrown.message).not.toContain('second')
    return `${thrown.status} ${thrown.code}`
  }
}

describe('a model', () => {
  test('without a rule for the purpose serves itself', () => {
    expect(outcome([model('first')])).toBe('first')
    expect(outcome([model('first', { batch: { action: 'deny' } })])).toBe('first')
    expect(outcome([model('first', { realtime: { action: 'deny' } })], 'batch')).toBe('first')
  })

  test('with a deny rule refuses the purpose, also a composite', () => {
    expect(outcome([model('first', { realtime: { action: 'deny' } })])).toBe('403 realtime_denied')
    expect(outcome([model('first', { batch: { action: 'deny' } })], 'batch')).toBe('403 batch_denied')
    const part = model('part')
    const fields = { name: 'first', groupIds: [everyoneGroupId], rules: { realtime: { action: 'deny' } } } as const
    expect(outcome([part, aComposite([part.id], {}, fields)])).toBe('403 realtime_denied')
  })
})

describe('a redirect', () => {
  test('leads to the other model, whichever of the two is a composite', () => {
    const second = model('second')
    expect(outcome([second, model('first', redirect(second))])).toBe('second')
    const composite = aComposite([second.id], {}, { name: 'all', groupIds: [everyoneGroupId] })
    expect(outcome([second, composite, model('first', redirect(composite))])).toBe('all')
    const fields = { name: 'first', groupIds: [everyoneGroupId], rules: redirect(second) }
    expect(outcome([second, aComposite([second.id], {}, fields)])).toBe('second')
  })

  test('gives no access to the other model: neither its groups nor the scopes of the key', () => {
    const closed = model('second', {}, { groupIds: [] })
    expect(outcome([closed, model('first', redirect(closed))])).toBe('403 model_access_denied')
    const second = model('second')
    const first = model('first', redirect(second))
    const key = aKey(user.id, { scopes: { modelIds: [first.id], areas: null } })
    expect(outcome([second, first], 'realtime', { account, key })).toBe('403 model_access_denied')
  })

  test('to a model that is gone or inactive is 503', () => {
    const gone = model('second')
    const inactive = model('second', {}, { active: false })
    expect(outcome([model('first', redirect(gone))])).toBe('503 upstream_unavailable')
    expect(outcome([inactive, model('first', redirect(inactive))])).toBe('503 upstream_unavailable')
  })

  test('to a model with a deny rule is refused', () => {
    const second = model('second', { realtime: { action: 'deny' } })
    expect(outcome([second, model('first', redirect(second))])).toBe('403 realtime_denied')
  })

  test('is followed once: two models that redirect to each other serve each other', () => {
    const id = crypto.randomUUID()
    const second = model('second', { realtime: { action: 'redirect', modelId: id } })
    expect(outcome([second, model('first', redirect(second), { id })])).toBe('second')
  })
})
