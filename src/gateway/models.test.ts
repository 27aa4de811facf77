import { describe, expect, test } from 'bun:test'
import { Catalog } from '#catalog/catalog.ts'
import { ApiError } from '#errors/api-error.ts'
import { everyoneGroupId, type Caller } from '#identity/records.ts'
import { aCaller } from '#test/support/store/a-caller.ts'
import { contextOf } from '#test/support/app/request-context.ts'
import { aModel, aProvider } from '#test/support/store/store-records.ts'
import { listModels } from './models.ts'
import { resolveModel } from './admission/resolve-model.ts'

const [g1, g2] = [crypto.randomUUID(), crypto.randomUUID()]
const provider = aProvider({ name: 'local' })
const catalog = new Catalog({
  providers: [provider],
  models: [
    aModel(provider.id, { name: 'b', groupIds: [everyoneGroupId], createdAt: 1_700_000_000_999 }),
    aModel(provider.id, { name: 'a', aliases: ['alias'], groupIds: [g1] }),
    aModel(provider.id, { name: 'c', groupIds: [g1, g2] }),
    aModel(provider.id, { name: 'hidden', groupIds: [crypto.randomUUID()] }),
  ],
  inflightOverrides: [],
})
const member = aCaller(g1)

async function list(query: string, caller: Caller = member): Promise<{ data: { id: string }[] }> {
  const context = await contextOf(new Request(`http://localhost/ai/v1/models${query}`))
  return (await listModels({ catalog: () => catalog }, context, caller).json()) as { data: { id: string }[] }
}

async function ids(query: string, caller?: Caller): Promise<string[]> {
  return (await list(query, caller)).data.map((model) => model.id)
}

async function refusal(query: string): Promise<string> {
  const thrown = await list(query).then(
    () => 'not refused',
    (error: unknown) => error,
  )
  return thrown instanceof ApiError ? `${thrown.status} ${thrown.code} ${thrown.detail.param}` : String(thrown)
}

describe('the list of models', () => {
  test("is what the caller can call, by id, in OpenAI's shape and with nothing else", async () => {
    expect(await list('', aCaller())).toEqual({
      object: 'list',
      data: [{ id: 'b', object: 'model', created: 1_700_000_000, owned_by: 'local' }],
    } as never)
    expect(await ids('')).toEqual(['a', 'b', 'c'])
  })

  test('takes groups to filter by, with spaces, empty pieces and any case', async () => {
    expect(await ids(`?group=${g1}`)).toEqual(['a', 'c'])
    expect(await ids(`?group=%20${g1.toUpperCase()}%20,,${everyoneGroupId},`)).toEqual(['a', 'b', 'c'])
    expect(await ids(`?group=${everyoneGroupId}`)).toEqual(['b'])
    for (const none of ['?group=', '?group=,', '?group=%20,%20']) expect(await ids(none)).toEqual(['a', 'b', 'c'])
  })

  test('has nothing for a group that the caller is not in', async () => {
    expect(await ids(`?group=${g2}`)).toEqual([])
    expect(await ids(`?group=${g2},${g1}`)).toEqual(['a', 'c'])
    expect(await ids(`?group=${crypto.randomUUID()}`)).toEqual([])
  })

  test('ignores parameters that it does not know', async () => {
    expect(await ids('?limit=1&limit=2&order=desc')).toEqual(['a', 'b', 'c'])
  })

  test('takes true and false in any case', async () => {
    for (const word of ['true', 'TRUE', 'False'])
      expect(await ids(`?include_reasoning_capabilities=${word}`)).toHaveLength(3)
    expect(await ids('?available_for_realtime=true')).toEqual(['a', 'b', 'c'])
    expect(await ids('?available_for_realtime=FALSE')).toEqual([])
    expect(await ids(`?available_for_realtime=true&group=${g1}`)).toEqual(['a', 'c'])
  })

  test('is refused for a filter that cannot be read', async () => {
    for (const group of ['x', `${g1},x`, `${g1}0`, `{${g1}}`])
      expect(await refusal(`?group=${group}`)).toBe('400 invalid_group group')
    for (const name of ['available_for_realtime', 'include_reasoning_capabilities']) {
      for (const value of ['', '1', 'yes', 'null', 'truefalse']) {
        expect(await refusal(`?${name}=${value}`)).toBe(`400 invalid_query_parameter ${name}`)
      }
      expect(await refusal(`?${name}=true&${name}=true`)).toBe(`400 invalid_query_parameter ${name}`)
    }
    expect(await refusal(`?group=${g1}&group=${g1}`)).toBe('400 invalid_query_parameter group')
  })
})

describe('a model that is asked for', () => {
  const errorFor = (name: string): ApiError => {
    try {
      resolveModel(catalog, name, member)
    } catch (thrown) {
      if (thrown instanceof ApiError) return thrown
    }
    throw new Error('the model was found')
  }

  test('is found by name and alias', () => {
    expect(['a', 'alias', 'c'].map((name) => resolveModel(catalog, name, member).record.name)).toEqual(['a', 'a', 'c'])
  })

  test('is 404 when it does not exist and 403 when it is of others', () => {
    expect([errorFor('A'), errorFor('hidden')].map(({ status, code, detail }) => [status, code, detail.param])).toEqual(
      [
        [404, 'model_not_found', 'model'],
        [403, 'model_access_denied', 'model'],
      ],
    )
  })

  test('is named in the refusal, so that control characters and length do no harm', () => {
    expect(errorFor('a\n"b').message).toContain('"a\\n\\"b"')
    expect(errorFor('x'.repeat(1_000_000)).message.length).toBeLessThan(400)
  })
})
