/** The form that an import becomes. */
import { expect, test } from 'bun:test'
import { formFieldsOf, defaultImportOptions } from '../../ui/src/routes/documents/import/import-options.ts'

test('what was not asked for is the server’s to choose', () => {
  expect(formFieldsOf({ ...defaultImportOptions, category: ' rules ' })).toEqual([['category', 'rules']])
})

test('owners are one field each, a group by its name', () => {
  expect(formFieldsOf({ ...defaultImportOptions, audience: 'group:legal' })).toContainEqual(['owners', 'group:legal'])
  const importOptions = { ...defaultImportOptions, audience: 'others', owners: 'a@example.org, group:legal,, ' }
  expect(formFieldsOf(importOptions).filter(([name]) => name === 'owners')).toEqual([
    ['owners', 'a@example.org'],
    ['owners', 'group:legal'],
  ])
})

test('a model for pictures goes with the reader, which is auto when none was chosen', () => {
  expect(formFieldsOf({ ...defaultImportOptions, readerModel: 'eye' })).toContainEqual([
    'reader',
    '{"name":"auto","model":"eye"}',
  ])
  expect(formFieldsOf({ ...defaultImportOptions, reader: 'vision', readerModel: 'eye' })).toContainEqual([
    'reader',
    '{"name":"vision","model":"eye"}',
  ])
})
