/** Changes of one record at the same time on several processes: of one version one happens, of a user's parts by SCIM all. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { makeCluster, type Cluster, type TestReplica } from '#test/support/app/cluster.ts'
import { readRecord, recordKinds, type AdminCall } from '#test/support/contract/record-kinds.ts'

const serverUrl = process.env['SLUICE_TEST_POSTGRES_URL']
const reason = serverUrl === undefined ? ' (skipped: SLUICE_TEST_POSTGRES_URL is not set)' : ''
const timeoutSeconds = 10

describe.skipIf(serverUrl === undefined)(`several processes${reason}`, () => {
  let cluster: Cluster
  let calls: readonly AdminCall[]
  beforeAll(async () => {
    cluster = await makeCluster(String(serverUrl), timeoutSeconds)
    calls = [await cluster.start(), await cluster.start()].map(callOn)
  })
  afterAll(() => cluster[Symbol.asyncDispose]())

  function callOn({ url }: TestReplica): AdminCall {
    return async (method, path, { body, headers } = {}) => {
      const answer = await fetch(path.startsWith('/scim/') ? `${url}${path}` : `${url}/admin/api/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${cluster.adminKey}`, 'content-type': 'application/json', ...headers },
        ...(body && { body: JSON.stringify(body) }),
      })
      const text = await answer.text()
      return {
        status: answer.status,
        headers: answer.headers,
        body: text === '' ? null : (JSON.parse(text) as unknown),
      }
    }
  }

  test.each(Object.entries(recordKinds))(
    'change a %s once, however many change one version of it at once',
    async (_name, kind) => {
      const [one, two] = calls as [AdminCall, AdminCall]
      const path = await kind.make(one)
      for (const callers of [2, 12]) {
        const { etag } = await readRecord(two, kind, path)
        const answers = await Promise.all(
          Array.from({ length: callers }, (_, turn) =>
            (turn % 2 === 0 ? one : two)(kind.method, path, {
              body: kind.change(callers * 10 + turn),
              headers: { 'if-match': etag },
            }),
          ),
        )
        const won = answers.filter(({ status }) => status === 200)
        expect(won.length).toBe(1)
        for (const { status, body } of answers)
          if (status !== 200) expect([status, body]).toMatchObject([409, { error: { code: 'record_changed' } }])
        for (const call of calls) expect(await readRecord(call, kind, path)).toEqual(won[0]!.body as never)
      }
    },
  )

  test('delete a record or change it, never both', async () => {
    const [one, two] = calls as [AdminCall, AdminCall]
    for (const kind of Object.values(recordKinds).filter(({ read }) => read === undefined)) {
      const path = await kind.make(one)
      const headers = { 'if-match': (await readRecord(two, kind, path)).etag }
      const [changed, deleted] = await Promise.all([
        one(kind.method, path, { body: kind.change(1), headers }),
        two('DELETE', path, { headers }),
      ])
      const { status } = await one('GET', path)
      const isDeleted = deleted.status === 204
      expect([path, changed.status, deleted.status, status]).toEqual(
        isDeleted ? [path, 404, 204, 404] : [path, 200, 409, 200],
      )
    }
  })

  test.each([1, 2, 3, 4])(
    'a user is disabled by SCIM and stays so, whatever else of it is changed (%d)',
    async (round) => {
      const [one, two] = calls as [AdminCall, AdminCall]
      const path = `/scim/v2/Users/${cluster.userId}`
      const changes = {
        active: false,
        displayName: `D${round}`,
        'name.givenName': `G${round}`,
        'name.familyName': `F${round}`,
        externalId: `E${round}`,
        userName: `user${round}@example.org`,
      }
      const patch = (...operations: readonly object[]) => ({
        schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
        Operations: operations,
      })
      await one('PATCH', path, { body: patch({ op: 'replace', path: 'active', value: true }) })
      const answers = await Promise.all(
        Object.entries(changes).map(([attribute, value], turn) =>
          (turn % 2 === 0 ? one : two)('PATCH', path, { body: patch({ op: 'replace', path: attribute, value }) }),
        ),
      )
      expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200))
      const { active, displayName, externalId, userName } = changes
      expect((await two('GET', path)).body).toMatchObject({
        active,
        displayName,
        externalId,
        userName,
        name: { givenName: `G${round}`, familyName: `F${round}` },
      })
    },
  )

  test.each([2, 8])('headers that %d administrators add to a provider at once are all there', async (count) => {
    const [one, two] = calls as [AdminCall, AdminCall]
    const made = await one('POST', '/providers', { body: { name: `h${count}`, base_url: 'http://127.0.0.1:9/v1' } })
    const path = `/providers/${(made.body as { readonly id: string }).id}`
    const names = Array.from({ length: count }, (_, at) => `x-${at}`)
    const answers = await Promise.all(
      names.map((name, turn) => (turn % 2 === 0 ? one : two)('PATCH', path, { body: { headers: { [name]: name } } })),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(count).fill(200))
    expect((await two('GET', path)).body).toMatchObject({ header_names: names })
  })
})
