import { describe, expect, spyOn, test } from 'bun:test'
import fc from 'fast-check'
import { aKey, aUser } from '#test/support/store/store-records.ts'
import { createKeySecret } from './api-key.ts'
import { authenticateKey, mayUseArea } from './authenticate.ts'
import { sealer } from '#lib/seal.ts'
import { ClientSecrets } from './client-secret.ts'
import { Directory } from './directory.ts'
import { everyoneGroupId, type ApiKey, type KeyArea, type User } from './records.ts'

const now = 1_800_000_000_000

/** A directory with one user and one key, and the secret of it. */
function stock(user: Partial<User> = {}, key: Partial<ApiKey> = {}) {
  const directory = new Directory()
  const owner = aUser(user)
  const { secret, digest } = createKeySecret()
  const made = aKey(owner.id, { digest, ...key })
  directory.load({ users: [owner], keys: [made], memberships: [], groups: [] })
  return { directory, owner, key: made, secret }
}

const { directory, owner, key, secret } = stock()
const clientSecrets = new ClientSecrets(sealer(new Uint8Array(32)))

/** Who the headers are from: the caller's key, or why there is none. */
function from(headers: Record<string, string>, at = now): string {
  const found = authenticateKey(new Headers(headers), { directory, clientSecrets }, at)
  return found.kind === 'caller' ? found.caller.key!.id : found.kind
}

function basic(userAndPassword: string): string {
  return `Basic ${Buffer.from(userAndPassword).toString('base64')}`
}

test('after a rotation both secrets are the key, the old one until its time is over, and none when the key is gone', () => {
  const stocked = stock()
  const { secret: newSecret, publicId, digest } = createKeySecret()
  const at = (text: string, time: number): string => {
    const found = authenticateKey(new Headers({ 'x-api-key': text }), { ...stocked, clientSecrets }, time)
    return found.kind === 'caller' ? found.caller.key.id : found.kind
  }
  const previous = { publicId: stocked.key.publicId, digest: stocked.key.digest, until: now + 1000 }
  const rotated = { ...stocked.key, publicId, digest, previous }
  stocked.directory.putKey(rotated)
  expect([at(newSecret, now), at(stocked.secret, now), at(stocked.secret, now + 999)]).toEqual(
    Array(3).fill(rotated.id),
  )
  expect([at(newSecret, now + 1000), at(stocked.secret, now + 1000)]).toEqual([rotated.id, 'invalid'])
  const again = createKeySecret()
  stocked.directory.putKey({ ...rotated, digest: again.digest, previous: { ...previous, digest } })
  expect([at(again.secret, now), at(newSecret, now), at(stocked.secret, now)]).toEqual([
    rotated.id,
    rotated.id,
    'invalid',
  ])
  stocked.directory.removeKey(rotated.id)
  expect([at(again.secret, now), at(newSecret, now)]).toEqual(['invalid', 'invalid'])
})

describe('a key is taken', () => {
  test('from a bearer token, whatever the case of the scheme and the spaces', () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR', 'Bearer ', 'Bearer   ']) {
      expect(from({ authorization: `${scheme} ${secret}` })).toBe(key.id)
    }
  })

  test('from x-api-key and from the password of HTTP Basic, whatever the user name', () => {
    expect(from({ 'x-api-key': secret })).toBe(key.id)
    for (const name of ['', 'api', 'someone@example.com']) {
      expect(from({ authorization: basic(`${name}:${secret}`) })).toBe(key.id)
    }
    expect(from({ authorization: basic(`:${secret}`).replace('Basic', 'bAsIc') })).toBe(key.id)
  })

  test('from api-key, and from several headers that agree', () => {
    const sent = { authorization: `Bearer ${secret}`, 'x-api-key': secret, 'api-key': secret }
    fc.assert(
      fc.property(fc.subarray(Object.entries(sent), { minLength: 1 }), (some) => {
        expect(from(Object.fromEntries(some))).toBe(key.id)
      }),
    )
  })

  test('from no header when two of them hold different credentials, valid or not', () => {
    const values = fc.constantFrom(secret, 'wrong', createKeySecret().secret)
    const names = fc.subarray(['authorization', 'x-api-key', 'api-key'], { minLength: 2 })
    fc.assert(
      fc.property(names, fc.array(values, { minLength: 3, maxLength: 3 }), (some, credentials) => {
        const used = credentials.slice(0, some.length)
        fc.pre(new Set(used).size > 1)
        const headers = some.map((name, at) => [name, name === 'authorization' ? `Bearer ${used[at]}` : used[at]!])
        expect(from(Object.fromEntries(headers) as Record<string, string>)).toBe('conflicting')
      }),
    )
  })

  test('from the other headers when authorization holds no credential of ours', () => {
    expect(from({ authorization: 'Negotiate abc', 'x-api-key': secret })).toBe(key.id)
    expect(from({ authorization: 'Bearer', 'x-api-key': secret })).toBe(key.id)
  })

  test('together with its user and the groups of that user', () => {
    const found = authenticateKey(new Headers({ 'x-api-key': secret }), { directory, clientSecrets }, now)
    expect(found).toEqual({
      kind: 'caller',
      caller: { account: { user: owner, groupIds: new Set([everyoneGroupId]) }, key },
    })
  })
})

describe('no key', () => {
  test('is distinguished from a wrong one', () => {
    const none = [{}, { authorization: '' }, { authorization: 'Bearer' }, { 'x-api-key': '' }, { 'x-api-key': ' ' }]
    const other = [{ authorization: 'Digest x' }, { authorization: secret }, { authorization: basic('no colon') }]
    for (const headers of [...none, ...other]) expect(from(headers)).toBe('missing')
  })
})

describe('a wrong key is refused', () => {
  test('when it is mistyped, cut, padded, doubled, or of nobody', () => {
    const twice = `${secret}, ${secret}`
    const wrong = [
      secret.slice(0, -1),
      `${secret}x`,
      secret.toLowerCase(),
      `x${secret}`,
      twice,
      createKeySecret().secret,
    ]
    for (const each of [...wrong, 'sk-', 'null', 'undefined', 'é']) {
      expect(from({ authorization: `Bearer ${each}` })).toBe('invalid')
      expect(from({ 'x-api-key': each })).toBe('invalid')
      expect(from({ authorization: basic(`u:${each}`) })).toBe('invalid')
    }
    expect(from({ authorization: basic('u:') })).toBe('invalid')
  })

  test('at the moment when it expires, and not before', () => {
    const { directory: expiring, secret: own } = stock({}, { expiresAt: now })
    const kindAt = (at: number) =>
      authenticateKey(new Headers({ 'x-api-key': own }), { directory: expiring, clientSecrets }, at).kind
    expect([kindAt(now - 1), kindAt(now), kindAt(now + 1)]).toEqual(['caller', 'invalid', 'invalid'])
  })

  test('while its user is disabled, and when the user or the key is gone', () => {
    const { directory: changing, owner: user, key: own, secret: text } = stock()
    const kind = () =>
      authenticateKey(new Headers({ 'x-api-key': text }), { directory: changing, clientSecrets }, now).kind
    changing.putAccount({ ...user, disabled: true }, [])
    expect(kind()).toBe('invalid')
    changing.putAccount(user, [])
    expect(kind()).toBe('caller')
    changing.removeAccounts(new Set([user.id]))
    expect(kind()).toBe('invalid')
    changing.putAccount(user, [])
    changing.removeKey(own.id)
    expect(kind()).toBe('invalid')
  })

  test('without being hashed when its form or its checksum is wrong, however long it is', () => {
    const unknown = createKeySecret().secret
    using hash = spyOn(Bun.SHA256, 'hash')
    for (const text of [`${secret.slice(0, -1)}!`, 'x'.repeat(1_000_000), `sk-slu-${'0'.repeat(1_000_000)}`]) {
      expect(from({ authorization: `Bearer ${text}` })).toBe('invalid')
      expect(from({ authorization: basic(`u:${text}`) })).toBe('invalid')
    }
    expect(hash).not.toHaveBeenCalled()
    // One of the right form is hashed when it is first seen.
    for (let times = 0; times < 3; times += 1) expect(from({ 'x-api-key': unknown })).toBe('invalid')
    expect(hash).toHaveBeenCalledTimes(1)
    expect(from({ 'x-api-key': secret })).toBe(key.id)
  })

  test('whatever the headers are', () => {
    const text = fc.string().map((raw) => raw.replaceAll(/[^\x20-\x7e]/g, ''))
    const scheme = fc.constantFrom('Bearer ', 'Basic ', 'basic', '', 'bearer', ' ')
    fc.assert(
      fc.property(scheme, text, text, (prefix, credentials, apiKey) => {
        expect(from({ authorization: prefix + credentials, 'x-api-key': apiKey })).toBeOneOf([
          'missing',
          'invalid',
          'conflicting',
        ])
      }),
    )
  })
})

test('a key with areas may be used for them only, and a caller without a key for all', () => {
  const { account } = { account: directory.account(owner.id)! }
  const may = (areas: readonly KeyArea[] | null, area: KeyArea) =>
    mayUseArea({ account, key: { ...key, scopes: { modelIds: null, areas } } }, area)
  expect([
    may(null, 'admin'),
    may(['inference'], 'inference'),
    may(['inference'], 'admin'),
    may([], 'inference'),
  ]).toEqual([true, true, false, false])
  expect(mayUseArea({ account, key: null }, 'admin')).toBe(true)
})
