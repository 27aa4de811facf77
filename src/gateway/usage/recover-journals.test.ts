import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'bun:test'
import { StoreUnavailable } from '#store/errors.ts'
import { frameOf } from './journal-frames.ts'
import { recoverJournals } from './recover-journals.ts'

function journalsOf(...texts: readonly string[]) {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-journals-'))
  for (const text of texts) {
    const path = join(directory, `${crypto.randomUUID()}@elsewhere!1!1@0.journal`)
    writeFileSync(path, frameOf(0, 1, `${text}\n`))
    utimesSync(path, 0, 0)
  }
  const written: string[] = []
  const refused: string[] = []
  const recover = (fails: (text: string) => Error | null) =>
    recoverJournals({
      directory,
      now: Date.now,
      onRefused: (file) => void refused.push(file),
      write: async ({ text }) => {
        const failure = fails(text)
        if (failure !== null) throw failure
        written.push(text)
      },
    })
  return { directory, written, refused, recover, [Symbol.dispose]: () => rmSync(directory, { recursive: true }) }
}

test('a journal that the database refuses again and again is set aside, and holds up no other', async () => {
  using journals = journalsOf('poison', 'one', 'two')
  const poison = (text: string): Error | null => (text === 'poison\n' ? new Error('no such column') : null)
  for (let turn = 0; turn < 3; turn += 1) await journals.recover(poison)
  expect(journals.written.toSorted()).toEqual(['one\n', 'two\n'])
  expect(journals.refused).toEqual([expect.stringMatching(/\.journal\.refused$/)])
  expect(readdirSync(journals.directory)).toEqual([...journals.refused])
  await journals.recover(poison)
  expect(journals.refused).toHaveLength(1)
})

test('no journal is set aside while the database is away, however long', async () => {
  using journals = journalsOf('one', 'two')
  const away = (): Error => new StoreUnavailable('away')
  for (let turn = 0; turn < 10; turn += 1) expect(await journals.recover(away).catch(String)).toContain('away')
  await journals.recover(() => null)
  expect(journals.written.toSorted()).toEqual(['one\n', 'two\n'])
  expect([readdirSync(journals.directory), journals.refused]).toEqual([[], []])
})
