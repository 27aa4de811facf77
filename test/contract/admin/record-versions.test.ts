/** A change that names the version it is of: it happens to that version, or not at all. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { z } from 'zod'
import { fieldLabels } from '../../../ui/src/shell/changed-fields.ts'
import { prefix, startAdminApp, type AdminApp } from '#test/support/app/admin-app.ts'
import {
  readRecord,
  recordKinds,
  type AdminCall,
  type RecordKind,
  type StoredRecord,
} from '#test/support/contract/record-kinds.ts'

let app: AdminApp
beforeAll(async () => {
  app = await startAdminApp()
})
afterAll(() => app[Symbol.asyncDispose]())

/** Addresses whose changes cannot undo what another person has done. */
const withoutVersion: Readonly<Record<string, string>> = {
  'PUT /users/:id/groups/:groupId': 'a membership is there or not, and has no content',
  'DELETE /users/:id/groups/:groupId': 'a membership is there or not, and has no content',
  'DELETE /models/:id/prices/:priceId': 'a price never changes: its id is its version',
  'DELETE /me/sessions/:sessionId': 'a session is there or not: nobody edits it',
  'DELETE /users/:id/sessions': 'a session is there or not: nobody edits it',
  'DELETE /users/:id/sessions/:sessionId': 'a session is there or not: nobody edits it',
  'DELETE /users/:id/invitation': 'a link works or does not: another one takes its place',
}

const kinds = Object.entries(recordKinds)

const admin: AdminCall = (method, path, options) => app.call(method, path, options)

const change = ({ method, change: bodyOf }: RecordKind, path: string, turn: number, ifMatch?: string) =>
  app.call<StoredRecord & Refusal>(method, path, {
    body: bodyOf(turn),
    ...(ifMatch !== undefined && { headers: { 'if-match': ifMatch } }),
  })

interface Refusal {
  readonly error: { readonly code: string; readonly current: StoredRecord }
}

const read = (kind: RecordKind, path: string) => readRecord(admin, kind, path)

test('every address that changes or deletes a record takes its version, or says here why it does not', () => {
  const changing = app.routes.filter(({ method, path }) => /PATCH|PUT|DELETE/.test(method) && path.includes(':'))
  const addresses = (conditional: boolean) =>
    changing
      .filter(({ docs }) => (docs.conditional ?? false) === conditional)
      .map(({ method, path }) => `${method} ${path.replace(prefix, '')}`)
  expect(addresses(false).sort()).toEqual(Object.keys(withoutVersion).sort())
  const known = new Set(kinds.flatMap(([, { route, method }]) => [`${method} ${route}`, `DELETE ${route}`]))
  expect(addresses(true).sort()).toEqual([...known].sort())
})

test('the console has words for every field that a change can set', () => {
  // What is shown instead of a value that is not shown.
  const shownAs: Readonly<Record<string, string>> = { credential: 'has_credential', headers: 'header_names' }
  const bodies = app.routes.flatMap(({ docs }) => (docs.conditional && docs.body ? [docs.body] : []))
  const fields = bodies.flatMap((body) => Object.keys((body as z.ZodObject).shape))
  expect(fields.length).toBeGreaterThan(30)
  expect(fields.filter((field) => fieldLabels[shownAs[field] ?? field] === undefined)).toEqual([])
})

describe.each(kinds)('a change of a %s', (_name, kind) => {
  test('of the version that was read succeeds, and makes another version', async () => {
    const path = await kind.make(admin)
    const before = await read(kind, path)
    const { status, body, headers } = await change(kind, path, 0, before.etag)
    expect([status, headers.get('etag')]).toEqual([200, body.etag])
    expect(body.etag).not.toBe(before.etag)
    expect(await read(kind, path)).toEqual(body)
    if (kind.read === undefined) expect((await app.call('GET', path)).headers.get('etag')).toBe(body.etag)
  })

  test('of an earlier version is 409 with the record as it is, and changes nothing; so is a deletion', async () => {
    const path = await kind.make(admin)
    const { etag } = await read(kind, path)
    await change(kind, path, 1)
    const now = await read(kind, path)
    for (const refused of [
      await change(kind, path, 2, etag),
      await app.call<Refusal>('DELETE', path, { headers: { 'if-match': etag } }),
    ]) {
      expect([refused.status, refused.code, refused.body.error.current]).toEqual([409, 'record_changed', now])
    }
    expect(await read(kind, path)).toEqual(now)
    expect((await change(kind, path, 2, now.etag)).status).toBe(200)
    const last = (await read(kind, path)).etag
    const deleted = await app.call('DELETE', path, { headers: { 'if-match': last } })
    expect([200, 204]).toContain(deleted.status)
  })

  test('that names no version, any, or several with the right one among them succeeds; a weak tag never does', async () => {
    const path = await kind.make(admin)
    const status = async (turn: number, ifMatch?: (etag: string) => string) =>
      (await change(kind, path, turn, ifMatch?.((await read(kind, path)).etag))).status
    expect(await status(3)).toBe(200)
    expect(await status(4, () => '*')).toBe(200)
    expect(await status(5, (etag) => `"another", ${etag}`)).toBe(200)
    expect(await status(6, (etag) => `W/${etag}`)).toBe(409)
    expect(await status(6, (etag) => etag.replaceAll('"', ''))).toBe(409)
    expect(await status(6, () => '')).toBe(409)
  })

  test.each([2, 4, 8])('made %i times at once of one version happens once', async (callers) => {
    const path = await kind.make(admin)
    const { etag } = await read(kind, path)
    const answers = await Promise.all(
      Array.from({ length: callers }, (_, turn) => change(kind, path, 10 * callers + turn, etag)),
    )
    const won = answers.filter(({ status }) => status === 200)
    expect([won.length, answers.filter(({ code }) => code === 'record_changed').length]).toEqual([1, callers - 1])
    expect(await read(kind, path)).toEqual(won[0]!.body)
  })
})

test('the use of a key makes no other version of it', async () => {
  const path = `/keys/${(await app.call<{ id: string }>('POST', '/me/keys', { body: { name: 'used' } })).body.id}`
  const { etag } = await read(recordKinds['API key']!, path)
  await app.store.keys.touch([{ keyId: path.slice('/keys/'.length), lastUsedAt: app.now() }])
  const used = await read(recordKinds['API key']!, path)
  expect([used['last_used_at'], used.etag]).toEqual([expect.any(String), etag])
})
