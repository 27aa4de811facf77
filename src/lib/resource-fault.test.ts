import { expect, test } from 'bun:test'
import { ResourceExhausted, resourceFaultOf } from './resource-fault.ts'

const withCode = (code: string, cause?: unknown): Error => Object.assign(new Error('it failed', { cause }), { code })

test('a full disk and a lack of files are told from other errors, of the system and of SQLite', () => {
  for (const code of ['ENOSPC', 'EDQUOT', 'EFBIG', 'SQLITE_FULL', 'SQLITE_IOERR', 'SQLITE_IOERR_WRITE'])
    expect(resourceFaultOf(withCode(code))).toBe('storage_full')
  for (const code of ['EMFILE', 'ENFILE', 'SQLITE_CANTOPEN']) expect(resourceFaultOf(withCode(code))).toBe('overloaded')
  for (const other of [
    withCode('ENOENT'),
    withCode('SQLITE_BUSY'),
    withCode('XENOSPC'),
    new Error('x'),
    'ENOSPC',
    null,
  ])
    expect(resourceFaultOf(other)).toBeNull()
})

test('the cause counts, however often it is wrapped, and a chain without end is not a trap', () => {
  expect(resourceFaultOf(new Error('outer', { cause: withCode('other', withCode('ENOSPC')) }))).toBe('storage_full')
  expect(resourceFaultOf(new Error('outer', { cause: new ResourceExhausted('overloaded', '') }))).toBe('overloaded')
  const endless = new Error('endless')
  endless.cause = endless
  expect(resourceFaultOf(endless)).toBeNull()
})
