/** Whom an importer may make an owner, and that an import says nothing about the files of others. */
import { describe, expect, test } from 'bun:test'
import { documentsOfFile, idle } from '#test/support/app/documents-app.ts'
import { everyoneGroupId } from '#identity/records.ts'

const app = documentsOfFile({ set: idle, sharing: false })
const category = (): string => crypto.randomUUID()

async function grant(groupId: string, permissions: readonly string[]): Promise<void> {
  const changed = await app().operate('PATCH', `/groups/${groupId}`, { permissions })
  expect([changed.status, ((await changed.json()) as { permissions: unknown }).permissions]).toEqual([200, permissions])
}

describe('without the permission', () => {
  test('oneself and one’s own groups may be owners', async () => {
    const { userId } = app().keys.main
    const own = ['group:team', userId, `${userId}@example.com`]
    for (const owners of [...own, own]) await app().accepted([{ bytes: 'mine', category: category(), owners }])
  })

  test('others, other groups and everyone may not, and those that do not exist are refused alike', async () => {
    const { userId } = app().keys.other
    const owners = [userId, `${userId}@example.com`, 'group:closed', 'everyone', 'group:everyone', 'nobody@example.com']
    const messages = []
    for (const owner of owners)
      messages.push((await app().invalid({ bytes: 'mine', owners: owner }, 'owner_not_allowed')).replace(owner, '…'))
    expect(new Set(messages).size).toBe(1)
    await app().invalid({ bytes: 'mine', owners: ['group:team', 'everyone'] }, 'owner_not_allowed')
  })

  test('such an item spoils no other item of the request', async () => {
    const { accepted, invalid } = await app().answer([
      { bytes: 'good', category: category() },
      { bytes: 'bad', owners: 'everyone' },
    ])
    expect([accepted.length, invalid.length]).toEqual([1, 1])
  })

  test('administrators need none', async () => {
    const owners = ['everyone', 'group:closed', app().keys.main.userId]
    await app().accepted([{ bytes: 'for all', category: category(), owners }], {}, { key: app().keys.admin })
  })
})

test('the permission counts from the next request on, for members of the group, and no longer when it is taken', async () => {
  const shared = () => ({ bytes: 'shared', category: category(), owners: 'everyone' })
  await grant(app().teamGroupId, ['documents.share'])
  await app().accepted([shared()])
  expect(await app().invalid({ bytes: 'shared', owners: 'nobody@example.com' }, 'unknown_owner')).toContain('nobody')
  const refused = await app().answer([shared()], {}, { key: app().keys.other })
  expect(refused.invalid[0]?.reason?.code).toBe('owner_not_allowed')
  await grant(app().teamGroupId, [])
  await app().invalid(shared(), 'owner_not_allowed')
  await grant(everyoneGroupId, ['documents.share'])
  await app().accepted([shared()], {}, { key: app().keys.other })
  await grant(everyoneGroupId, [])
})

describe('a file that another user has', () => {
  test('is no duplicate, so nobody learns of it or of its id', async () => {
    const { other, main, admin } = app().keys
    const item = { bytes: 'the guessed salary list', category: category(), owners: other.userId }
    const [theirs] = await app().accepted([item], {}, { key: other })
    const [adminsCopy] = await app().accepted([item], {}, { key: admin })
    const [own] = await app().accepted([{ ...item, owners: main.userId }], {}, { key: main })
    expect(new Set([theirs, adminsCopy, own]).size).toBe(3)
  })

  test('stays the importer’s when the same bytes were placed there before', async () => {
    const { other, admin } = app().keys
    const item = { bytes: 'planted before', category: category(), owners: other.userId }
    const [planted] = await app().accepted([item], {}, { key: admin })
    const [own] = await app().accepted([item], {}, { key: other })
    await app().accepted([{ ...item, doc_id: planted, bytes: 'replaced' }], {}, { key: admin })
    const { duplicate } = await app().answer([item], {}, { key: other })
    expect(duplicate.map(({ doc_id: id }) => id)).toEqual([own!])
  })
})
