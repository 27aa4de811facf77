/** Administrators on several processes who change, at the same moment, what depends on each other. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { makeCluster, type Cluster, type TestReplica } from '#test/support/app/cluster.ts'

const serverUrl = process.env['SLUICE_TEST_POSTGRES_URL']
const reason = serverUrl === undefined ? ' (skipped: SLUICE_TEST_POSTGRES_URL is not set)' : ''
const timeoutSeconds = 10
const count = 8

interface Answer {
  readonly status: number
  readonly body: { readonly id: string; readonly path: string; readonly secret: string }
}

describe.skipIf(serverUrl === undefined)(`at the same moment on two processes${reason}`, () => {
  let cluster: Cluster
  let replicas: readonly TestReplica[]
  beforeAll(async () => {
    cluster = await makeCluster(String(serverUrl), timeoutSeconds)
    replicas = [await cluster.start(), await cluster.start()]
  })
  afterAll(() => cluster[Symbol.asyncDispose]())

  async function call(turn: number, method: string, path: string, body?: object): Promise<Answer> {
    const answer = await fetch(`${replicas[turn % 2]!.url}/admin/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${cluster.adminKey}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    return { status: answer.status, body: text === '' ? null : JSON.parse(text) }
  }
  const many = (each: (turn: number) => Promise<Answer>) =>
    Promise.all(Array.from({ length: count }, (_, at) => each(at)))
  const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status).toSorted((a, b) => a - b)
  const name = () => crypto.randomUUID()
  const made = async (path: string, body: object) => (await call(0, 'POST', path, body)).body
  const aModel = async () => made('/models', { name: name(), provider_id: (await aProvider()).id })
  const aProvider = () => made('/providers', { name: name(), base_url: 'http://127.0.0.1:9/v1' })
  const onceOf = (status: number) => [status, ...Array(count - 1).fill(409)]

  test('one of many who choose one name, address or alias has it', async () => {
    const [address, model, alias, provider] = [name(), name(), name(), await aProvider()]
    const ofProvider = { provider_id: provider.id }
    const creations: readonly (readonly [string, () => object])[] = [
      ['/users', () => ({ email: `${address}@example.org` })],
      ['/models', () => ({ name: model, ...ofProvider })],
      ['/models', () => ({ name: name(), aliases: [alias], ...ofProvider })],
      ['/budgets', () => ({ scope: 'provider', scope_id: provider.id, period: 'month', amount: 1 })],
    ]
    for (const [path, body] of creations)
      expect(statuses(await many((turn) => call(turn, 'POST', path, body())))).toEqual(onceOf(201))
  })

  test.each([1, 2, 3])('a model is a component or deleted, never both (%d)', async () => {
    const model = await aModel()
    const components = [{ model: model.id }]
    const answers = await many((turn) =>
      turn % 4 === 3
        ? call(turn, 'DELETE', `/models/${model.id}`)
        : call(turn, 'POST', '/models', { name: name(), composite: { components } }),
    )
    const isDeleted = answers.some(({ status }) => status === 204)
    const composites = answers.filter(({ status }) => status === 201).length
    expect(composites).toBe(isDeleted ? 0 : 6)
    for (const { status } of answers) expect([201, 204, 404, 409, 422]).toContain(status)
  })

  test.each([1, 2, 3, 4, 5, 6])('a group that is deleted while it is given away is gone everywhere (%d)', async () => {
    const [model, group, user] = [await aModel(), await made('/groups', { name: name() }), await aUser()]
    const answers = await many((turn) => {
      if (turn === count / 2) return call(turn, 'DELETE', `/groups/${group.id}`)
      if (turn % 2 === 0) return call(turn, 'PATCH', `/models/${model.id}`, { groups: [group.id] })
      return call(turn, 'PUT', `/users/${user.id}/groups/${group.id}`)
    })
    for (const { status } of answers) expect([200, 204, 404, 422]).toContain(status)
    expect(answers[count / 2]!.status).toBe(204)
    for (const turn of [0, 1]) {
      for (const path of [`/models/${model.id}`, `/users/${user.id}`])
        expect(JSON.stringify((await call(turn, 'GET', path)).body)).not.toContain(group.id)
    }
  })

  test.each([1, 2, 3])('no key of a user who is deleted at that moment works (%d)', async () => {
    const user = await aUser()
    const answers = await many((turn) =>
      turn === 0 ? call(0, 'DELETE', `/users/${user.id}`) : call(turn, 'POST', `/users/${user.id}/keys`, { name: 'k' }),
    )
    for (const { status, body } of answers.slice(1)) {
      expect([201, 404]).toContain(status)
      for (const replica of status === 201 ? replicas : []) expect(await replica.statusWith(body.secret)).toBe(401)
    }
  })

  async function aUser() {
    return made('/users', { email: `${name()}@example.org` })
  }
})
