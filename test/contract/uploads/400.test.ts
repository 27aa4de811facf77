/** What is refused of an upload in parts, and that the upload is then as it was. */
import { expect, test } from 'bun:test'
import { filesOfTest } from '#test/support/batches/file-client.ts'
import type { ChatOptions } from '#test/support/app/gateway-app.ts'

const files = filesOfTest({ set: ['files.max_bytes=1000', 'files.account_bytes_max=3000'] })
const usual = { filename: 'a.jsonl', purpose: 'batch', bytes: 8, mime_type: 'text/jsonl' }

function post(path: string, body: object, options?: ChatOptions): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  return files().gateway.request('POST', `/ai/v1/uploads${path}`, { ...options, headers, body: JSON.stringify(body) })
}

async function begun(bytes = 8): Promise<string> {
  return ((await (await post('', { ...usual, bytes })).json()) as { readonly id: string }).id
}

function part(id: string, data: string, options?: ChatOptions): Promise<Response> {
  const form = new FormData()
  form.append('data', new Blob([data]), 'part')
  return files().gateway.request('POST', `/ai/v1/uploads/${id}/parts`, { ...options, body: form })
}

async function partId(id: string, data: string): Promise<string> {
  return ((await (await part(id, data)).json()) as { readonly id: string }).id
}

test('a field that is missing or has no such value is named', async () => {
  const { refusal } = files()
  for (const [more, param] of [
    [{ filename: '' }, 'filename'],
    [{ filename: 5 }, 'filename'],
    [{ purpose: 'batch_output' }, 'purpose'],
    [{ purpose: 'upload_part' }, 'purpose'],
    [{ bytes: 0 }, 'bytes'],
    [{ bytes: 1.5 }, 'bytes'],
    [{ bytes: '8' }, 'bytes'],
    [{ bytes: 1001 }, 'bytes'],
    [{ expires_after: { anchor: 'now', seconds: 3600 } }, 'expires_after'],
    [{ expires_after: { anchor: 'created_at', seconds: 1 } }, 'expires_after.seconds'],
  ] as const)
    expect(await refusal(await post('', { ...usual, ...more }))).toEqual([400, 'invalid_body', param])
})

test('an upload is completed by its own parts, each once, with the bytes that were announced', async () => {
  const { refusal } = files()
  const [id, other] = [await begun(), await begun(4)]
  const ids = [await partId(id, 'abcd'), await partId(id, 'efgh')]
  const foreign = await partId(other, 'ijkl')
  for (const partIds of [undefined, 'x', [], ids.slice(1), [ids[0], ids[0]], [...ids, foreign], [ids[0], foreign], [5]])
    expect(await refusal(await post(`/${id}/complete`, { part_ids: partIds }))).toEqual([
      400,
      'invalid_body',
      'part_ids',
    ])
  for (const md5 of ['x', 5, 'e8dc4081b13434b45189a720b77b681'])
    expect((await refusal(await post(`/${id}/complete`, { part_ids: ids, md5 })))[2]).toBe('md5')
  const wrong = '00000000000000000000000000000000'
  expect((await refusal(await post(`/${id}/complete`, { part_ids: ids, md5: wrong })))[2]).toBe('md5')
  const completed = await post(`/${id}/complete`, { part_ids: ids, md5: 'E8DC4081B13434B45189A720B77B6818' })
  const { file } = (await completed.json()) as { readonly file: { readonly id: string } }
  expect(await (await files().get(`/files/${file.id}/content`)).text()).toBe('abcdefgh')
  await post(`/${other}/cancel`, {})
})

test('a part is no file, and a file is no part', async () => {
  const { refusal, get } = files()
  const id = await begun(4)
  const piece = await partId(id, 'abcd')
  for (const path of [`/files/${piece}`, `/files/${piece}/content`])
    expect(await refusal(await get(path))).toEqual([404, 'file_not_found', 'id'])
  expect((await files().gateway.request('DELETE', `/ai/v1/files/${piece}`)).status).toBe(404)
  expect((await post(`/${id}/complete`, { part_ids: [piece] })).status).toBe(200)
})

test.each([2, 12])('of %i parts that come at once no more are taken than were announced', async (count) => {
  const { refusal } = files()
  const id = await begun(7)
  const answers = await Promise.all(Array.from({ length: count }, () => part(id, 'abcd')))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  for (const answer of answers)
    if (answer.status !== 200) expect(await refusal(answer)).toEqual([400, 'invalid_body', 'data'])
  expect(await refusal(await part(id, ''))).toEqual([400, 'invalid_body', 'data'])
  expect((await part(id, 'abc')).status).toBe(200)
  await post(`/${id}/cancel`, {})
})

test('the uploads of another account are not there', async () => {
  const { gateway, refusal } = files()
  const id = await begun()
  const options = { key: gateway.keys.other }
  for (const answer of [
    await part(id, 'abcd', options),
    await post(`/${id}/complete`, { part_ids: ['part_x'] }, options),
    await post(`/${id}/cancel`, {}, options),
    await post('/upload_x/cancel', {}),
  ])
    expect((await refusal(answer)).slice(0, 2)).toEqual([404, 'upload_not_found'])
  expect((await post(`/${id}/cancel`, {})).status).toBe(200)
})

test('what uploads announce counts for the account, whatever begins at once', async () => {
  const { refusal, upload } = files()
  const answers = await Promise.all(Array.from({ length: 8 }, () => post('', { ...usual, bytes: 900 })))
  const begunOnes = answers.filter(({ status }) => status === 200)
  expect(begunOnes).toHaveLength(3)
  for (const answer of answers)
    if (answer.status !== 200) expect((await refusal(answer)).slice(0, 2)).toEqual([413, 'request_too_large'])
  expect((await upload({ file: 'x'.repeat(900), purpose: 'batch' })).status).toBe(413)
  for (const answer of begunOnes) {
    const { id } = (await answer.json()) as { readonly id: string }
    await post(`/${id}/cancel`, {})
  }
  expect((await upload({ file: 'x'.repeat(900), purpose: 'batch' })).status).toBe(200)
})
