/** GET /ai/v1/models and GET /ai/v1/models/{id}: what the caller can call, in OpenAI's shape. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { everyoneGroupId } from '#identity/records.ts'
import { startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import type { ModelName, StockKey } from '#test/support/app/gateway-catalog.ts'

interface ModelList {
  readonly object: 'list'
  readonly data: readonly { readonly id: string; readonly created: number }[]
}

let gateway: GatewayApp
beforeAll(async () => void (gateway = await startGateway()))
afterAll(() => gateway[Symbol.asyncDispose]())

/** Models of the group `everyone` that are active, by id. */
const common = ['narrow', 'on-disabled', 'on-refusing', 'plain', 'vendor/slashed']

async function idsOf(query = '', key?: StockKey): Promise<readonly string[]> {
  const response = await gateway.request('GET', `/ai/v1/models${query}`, key && { key })
  expect(response.status).toBe(200)
  return ((await response.json()) as ModelList).data.map((model) => model.id)
}

function objectOf(name: ModelName, owner: string): object {
  const created = Math.floor(gateway.models[name].createdAt / 1000)
  return { id: name, object: 'model', created, owned_by: owner }
}

describe('the list', () => {
  test('has one entry for each model that the caller can use, by id, in OpenAI’s shape and nothing else', async () => {
    const response = await gateway.request('GET', '/ai/v1/models')
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toEqual({
      object: 'list',
      data: [
        objectOf('narrow', 'up'),
        objectOf('on-disabled', 'off'),
        objectOf('on-refusing', 'refusing'),
        objectOf('plain', 'up'),
        objectOf('shared', 'up'),
        objectOf('vendor/slashed', 'up'),
      ],
    })
  })

  test('follows the groups of the account and the scopes of the key, and admin rights add nothing', async () => {
    const { other, admin, slashedOnly } = gateway.keys
    expect(await idsOf('', other)).toEqual([...common.slice(0, 4), 'private', 'vendor/slashed'])
    expect(await idsOf('', admin)).toEqual(common)
    expect(await idsOf('', slashedOnly)).toEqual(['vendor/slashed'])
  })

  test('holds exactly the models that can be called', async () => {
    const listed = new Set(await idsOf())
    for (const model of Object.keys(gateway.models)) {
      const { status } = await gateway.chat({ model })
      expect([model, status === 403 || status === 404]).toEqual([model, !listed.has(model)])
    }
  })

  test('shows a change of the catalog to the next request', async () => {
    const model = `/models/${gateway.models['vendor/slashed'].id}`
    await gateway.operate('PATCH', model, { active: false })
    expect(await idsOf()).not.toContain('vendor/slashed')
    await gateway.operate('PATCH', model, { active: true })
    expect(await idsOf()).toContain('vendor/slashed')
  })
})

describe('the filter by group', () => {
  test('keeps models of any of the groups that the caller is in', async () => {
    const { teamGroupId } = gateway
    expect(await idsOf(`?group=${teamGroupId}`)).toEqual(['shared'])
    expect(await idsOf(`?group=${everyoneGroupId}`)).toEqual(common)
    expect(await idsOf(`?group=${everyoneGroupId},${teamGroupId}`)).toHaveLength(common.length + 1)
  })

  test('takes spaces, empty pieces and capital letters', async () => {
    const { teamGroupId } = gateway
    for (const value of [`, ${teamGroupId} ,,`, teamGroupId.toUpperCase(), `${teamGroupId},${teamGroupId}`])
      expect(await idsOf(`?group=${encodeURIComponent(value)}`)).toEqual(['shared'])
    for (const value of ['', ',', ' , ']) expect(await idsOf(`?group=${encodeURIComponent(value)}`)).toContain('plain')
  })

  test('gets nothing from a group that the caller is not in, nor from one that does not exist', async () => {
    const { closedGroupId, teamGroupId } = gateway
    expect(await idsOf(`?group=${closedGroupId}`)).toEqual([])
    expect(await idsOf(`?group=${crypto.randomUUID()}`)).toEqual([])
    expect(await idsOf(`?group=${closedGroupId},${teamGroupId}`)).toEqual(['shared'])
  })
})

describe('the other parameters', () => {
  test('take true and false in any case, and filters combine', async () => {
    for (const word of ['true', 'TRUE', 'True'])
      expect(await idsOf(`?available_for_realtime=${word}`)).toContain('plain')
    expect(await idsOf('?available_for_realtime=False')).toEqual([])
    expect(await idsOf(`?available_for_realtime=true&group=${gateway.teamGroupId}`)).toEqual(['shared'])
    expect(await idsOf('?include_reasoning_capabilities=true')).toContain('plain')
  })

  test('that nobody knows are ignored', async () => {
    expect(await idsOf('?limit=1&order=desc&group_id=x')).toContain('plain')
  })
})

describe('one model', () => {
  test('is found by its name, by an alias, and with the slashes of its name written either way', async () => {
    const paths: readonly (readonly [string, ModelName])[] = [
      ['plain', 'plain'],
      ['plain-alias', 'plain'],
      ['vendor/slashed', 'vendor/slashed'],
      ['vendor%2Fslashed', 'vendor/slashed'],
      ['shared', 'shared'],
    ]
    for (const [path, name] of paths) {
      const response = await gateway.request('GET', `/ai/v1/models/${path}`)
      expect([response.status, await response.json()]).toEqual([200, objectOf(name, 'up')])
    }
  })

  test('is the same as its entry in the list', async () => {
    const list = (await (await gateway.request('GET', '/ai/v1/models')).json()) as ModelList
    for (const entry of list.data) {
      const one = await gateway.request('GET', `/ai/v1/models/${encodeURIComponent(entry.id)}`)
      expect(await one.json()).toEqual(entry)
    }
  })
})

test('a client that sends anthropic-version gets one model in the shape of that API, by name and alias', async () => {
  const headers = { 'anthropic-version': '2023-06-01' }
  for (const name of ['plain', 'plain-alias', 'vendor/slashed']) {
    const response = await gateway.request('GET', `/ai/v1/models/${name}`, { headers })
    const id = name === 'plain-alias' ? 'plain' : name
    expect(await response.json()).toEqual({ type: 'model', id, display_name: id, created_at: expect.any(String) })
  }
})
