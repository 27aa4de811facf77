/** Files that clients and editors make: each line that is one runs once, and what is wrong is named by its line. */
import { beforeAll, expect, test } from 'bun:test'
import { filesOfTest, type BatchOnWire } from '#test/support/batches/file-client.ts'
import { embeds, textsOf } from '#test/support/upstream/embedding-script.ts'
import { hang, json } from '#test/support/upstream/upstream-behaviours.ts'
import { until } from '#test/support/until.ts'
import { embeddingList } from '#test/support/upstream/upstream-samples.ts'

const files = filesOfTest({ set: ['server.max_body_bytes=8388608'] })
const endpoint = '/v1/embeddings'
const mark = '\uFEFF'

beforeAll(() => {
  // Texts of megabytes cost a vector nothing here.
  files().gateway.upstream.script((request) =>
    request.body.length > 1_000_000 ? json(embeddingList(textsOf(request).length)) : embeds(request),
  )
})

function line(customId: string, input = 'x'): string {
  return JSON.stringify({ custom_id: customId, method: 'POST', url: endpoint, body: { model: 'plain', input } })
}

const [a, b, c] = [line('a'), line('b'), line('c')]
const accepted: readonly (readonly [string, string, readonly string[]])[] = [
  ['one line', a, ['a']],
  ['one line and its end', `${a}\n`, ['a']],
  ['line ends of Windows', `${a}\r\n${b}\r\n`, ['a', 'b']],
  ['a byte order mark', `${mark}${a}\n${b}`, ['a', 'b']],
  ['a byte order mark and line ends of Windows', `${mark}${a}\r\n${b}`, ['a', 'b']],
  ['blank lines before, between and after', `\n \n${a}\n\t\r\n${b}\n\n\n`, ['a', 'b']],
  ['spaces around the objects', `  ${a}  \n\t${b}\t\n`, ['a', 'b']],
  ['ids with quotes, line ends and other letters', `${line('"\n')}\n${line('ä🌊')}\n${c}`, ['"\n', 'ä🌊', 'c']],
]

test.each(accepted)('%s', async (_what, text, ids) => {
  const { begun, ended, results } = files()
  const batch = await ended((await begun(text, endpoint)).id)
  expect(batch.request_counts).toEqual({ total: ids.length, completed: ids.length, failed: 0 })
  expect((await results(batch)).map(({ custom_id: id }) => id)).toEqual([...ids])
})

const refused: readonly (readonly [string, string, readonly (readonly [number | null, string])[]])[] = [
  ['no byte', '', [[null, 'empty_file']]],
  ['a byte order mark alone', mark, [[null, 'empty_file']]],
  ['line ends alone', '\r\n\n \n', [[null, 'empty_file']]],
  ['an id twice', `${a}\n${b}\n\n${a}`, [[4, 'duplicate_custom_id']]],
  ['the same id in other letters', `${a}\n${a.replace('"a"', '"\\u0061"')}`, [[2, 'duplicate_custom_id']]],
  ['a mark before the second line', `${a}\n${mark}${b}`, [[2, 'invalid_json_line']]],
  ['a list of requests', `[${a},${b}]`, [[1, 'invalid_json_line']]],
  [
    'an object over several lines',
    JSON.stringify(JSON.parse(a), null, 1).slice(0, 20),
    [
      [1, 'invalid_json_line'],
      [2, 'invalid_json_line'],
    ],
  ],
  ['line ends of old Macs', `${a}\r${b}`, [[1, 'invalid_json_line']]],
]

test.each(refused)('%s is refused', async (_what, text, faults) => {
  const { begun, ended } = files()
  const { status, errors, output_file_id: output } = await ended((await begun(text, endpoint)).id)
  expect([status, output]).toEqual(['failed', null])
  expect(errors?.data.map((fault) => [fault.line, fault.code] as const)).toEqual([...faults])
})

test('a line as large as a request may be runs, and the ones around it', async () => {
  const { begun, ended, results } = files()
  const large = line('large', 'x'.repeat(8_000_000))
  const batch = await ended((await begun(new Blob([`${a}\n`, large, `\n${c}`]), endpoint)).id)
  expect(batch.request_counts).toEqual({ total: 3, completed: 3, failed: 0 })
  expect((await results(batch)).map(({ custom_id: id }) => id)).toEqual(['a', 'large', 'c'])
}, 60_000)

test('a larger one is named, and is not read whole', async () => {
  const { begun, ended } = files()
  const text = new Blob([`${a}\n`, line('large', 'x'.repeat(9_000_000)), `\n${a}`])
  const { errors } = await ended((await begun(text, endpoint)).id)
  expect(errors?.data.map((fault) => [fault.line, fault.code])).toEqual([
    [2, 'invalid_json_line'],
    [3, 'duplicate_custom_id'],
  ])
}, 60_000)

test('50,000 lines are accepted, and one more is not; a batch that is cancelled at that size accounts for each', async () => {
  const { gateway, begun, ended, get } = files()
  const most = Array.from({ length: 50_000 }, (_each, at) => line(`${at}`))
  const over = await begun(new Blob([`${most.join('\n')}\n${line('over')}`]), endpoint)
  const { status, errors } = await ended(over.id)
  expect([status, errors?.data.map(({ code }) => code)]).toEqual(['failed', ['too_many_tasks']])
  gateway.upstream.script(() => [hang])
  const { id } = await begun(new Blob([most.join('\n')]), endpoint)
  const read = async (): Promise<BatchOnWire> => (await (await get(`/batches/${id}`)).json()) as BatchOnWire
  await until(async () => (await read()).status === 'in_progress')
  expect((await gateway.request('POST', `/ai/v1/batches/${id}/cancel`)).status).toBe(200)
  const batch = await ended(id)
  expect([batch.status, batch.request_counts]).toEqual(['cancelled', { total: 50_000, completed: 0, failed: 50_000 }])
  const text = await (await get(`/files/${batch.error_file_id}/content`)).text()
  expect(text.split('\n').length - 1).toBe(50_000)
}, 120_000)
