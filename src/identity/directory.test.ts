import { expect, test } from 'bun:test'
import { aKey, aUser } from '#test/support/store/store-records.ts'
import { Directory } from './directory.ts'
import { everyoneGroupId } from './records.ts'

const [ada, bob] = [aUser(), aUser()]
const [first, second] = [aKey(ada.id), aKey(bob.id)]

function loaded(): Directory {
  const directory = new Directory()
  const memberships = [
    { userId: ada.id, groupId: 'g1' },
    { userId: ada.id, groupId: 'g2' },
  ]
  directory.load({ users: [ada, bob], keys: [first, second], memberships, groups: [] })
  return directory
}

test('every user is in the group everyone, with or without other groups', () => {
  const directory = loaded()
  expect(directory.account(ada.id)?.groupIds).toEqual(new Set([everyoneGroupId, 'g1', 'g2']))
  expect(directory.account(bob.id)?.groupIds).toEqual(new Set([everyoneGroupId]))
  directory.putAccount(bob, ['g3', 'g3'])
  expect(directory.account(bob.id)?.groupIds).toEqual(new Set([everyoneGroupId, 'g3']))
})

test('a changed membership holds for the next look-up and leaves accounts that were returned before as they were', () => {
  const directory = loaded()
  const before = directory.account(ada.id)
  directory.putAccount(ada, ['g2'])
  expect(directory.account(ada.id)?.groupIds).toEqual(new Set([everyoneGroupId, 'g2']))
  expect(before?.groupIds).toEqual(new Set([everyoneGroupId, 'g1', 'g2']))
})

test('a permission is that of the account’s groups; administrators have all', () => {
  const directory = new Directory()
  const groups = [
    { id: 'g1', name: 'g1', permissions: ['documents.share'] as const },
    { id: 'g2', name: 'g2', permissions: [] },
  ]
  const root = aUser({ role: 'admin' })
  const contents = { users: [ada, bob, root], keys: [], memberships: [{ userId: ada.id, groupId: 'g1' }] }
  directory.load({ ...contents, groups })
  const permitted = () => [ada, bob, root].map(({ id }) => directory.permits(directory.account(id)!, 'documents.share'))
  expect(permitted()).toEqual([true, false, true])
  directory.putAccount(bob, ['g1', 'g2'])
  expect(permitted()).toEqual([true, true, true])
  directory.load({ ...contents, groups: [{ id: everyoneGroupId, name: 'everyone', permissions: ['documents.share'] }] })
  expect(permitted()).toEqual([true, true, true])
  directory.load({ ...contents, groups: [] })
  expect(permitted()).toEqual([false, false, true])
})

test('a changed key is found by its digest with its new record only', () => {
  const directory = loaded()
  directory.putKey({ ...first, name: 'renamed' })
  expect(directory.keyByDigest(first.digest)?.name).toBe('renamed')
  directory.putKey({ ...first, digest: 'another digest' })
  expect(directory.keyByDigest(first.digest)).toBeUndefined()
  expect(directory.keyByDigest('another digest')?.id).toBe(first.id)
})

test('a removed key or user is gone, others stay, and removing what is not there does no harm', () => {
  const directory = loaded()
  directory.removeKey(first.id)
  directory.removeKey(first.id)
  directory.removeKey('never there')
  expect([directory.keyByDigest(first.digest), directory.keyByDigest(second.digest)?.id]).toEqual([
    undefined,
    second.id,
  ])
  directory.removeAccounts(new Set([ada.id]))
  directory.removeAccounts(new Set(['never there']))
  expect([directory.account(ada.id), directory.account(bob.id)?.user]).toEqual([undefined, bob])
})

test('loading replaces everything that was there', () => {
  const directory = loaded()
  const eve = aUser()
  directory.load({ users: [eve], keys: [], memberships: [{ userId: 'gone', groupId: 'g1' }], groups: [] })
  expect([ada.id, bob.id, 'gone', eve.id].map((id) => directory.account(id)?.user)).toEqual([
    undefined,
    undefined,
    undefined,
    eve,
  ])
  expect(directory.keyByDigest(first.digest)).toBeUndefined()
  directory.putKey(first)
  expect(directory.keyByDigest(first.digest)).toEqual(first)
})

test('an account is found by its address, the one that it has now', () => {
  const directory = loaded()
  expect(directory.accountByEmail(ada.email)?.user.id).toBe(ada.id)
  directory.putAccount({ ...ada, email: 'new@example.com' }, [])
  expect(directory.accountByEmail(ada.email)).toBeUndefined()
  directory.putAccount({ ...bob, email: ada.email }, [])
  directory.removeAccounts(new Set([ada.id]))
  expect(directory.accountByEmail('new@example.com')).toBeUndefined()
  expect(directory.accountByEmail(ada.email)?.user.id).toBe(bob.id)
})
