/** The form that an import becomes. */
import { expect, test } from 'bun:test'
import { fieldsOf, noWishes } from '../../ui/src/routes/documents/import/import-wishes.ts'

test('what was not asked for is the server’s to choose', () => {
  expect(fieldsOf({ ...noWishes, category: ' rules ' })).toEqual([['category', 'rules']])
})

test('owners are one field each, a group by its name', () => {
  expect(fieldsOf({ ...noWishes, audience: 'group:legal' })).toContainEqual(['owners', 'group:legal'])
  const wishes = { ...noWishes, audience: 'others', owners: 'a@example.org, group:legal,, ' }
  expect(fieldsOf(wishes).filter(([name]) => name === 'owners')).toEqual([
    ['owners', 'a@example.org'],
    ['owners', 'group:legal'],
  ])
})

test('a model for pictures goes with the reader, which is auto when none was chosen', () => {
  expect(fieldsOf({ ...noWishes, readerModel: 'eye' })).toContainEqual(['reader', '{"name":"auto","model":"eye"}'])
  expect(fieldsOf({ ...noWishes, reader: 'vision', readerModel: 'eye' })).toContainEqual([
    'reader',
    '{"name":"vision","model":"eye"}',
  ])
})
