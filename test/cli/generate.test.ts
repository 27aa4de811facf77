/** Trying out the generation endpoints by the command line. */
import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripedPng } from '#test/support/documents/png-file.ts'
import { Installation } from './sluice.ts'

const practice = ['--group', 'demo-vision', '--max-tokens', '500']

test('one question about an image is answered as it is, several line by line with their numbers', async () => {
  await using sluice = new Installation()
  const photo = join(sluice.directory, 'photo.png')
  writeFileSync(photo, stripedPng(12, 8, [[255, 0, 0]]))
  await sluice.start()
  const one = await sluice.run(['generate', '--image', 'photo.png', '--text', 'What is it?', ...practice])
  expect([one.code, one.stderr]).toEqual([0, ''])
  expect(one.stdout).toStartWith('I am demo-vision')
  expect(one.stdout).toContain('PNG of 12 × 8 pixels')

  const two = await sluice.run(['generate', '--image', photo, '--text', 'First?', '--text', 'Second?', ...practice])
  const lines = two.stdout.split('\n').filter((line) => line !== '')
  expect(lines.every((line) => /^\[[12]\] /.test(line) || line === '[1] ' || line === '[2] ')).toBe(true)
  expect(two.stdout).toContain('[1] Your text was: "First?"')
  expect(two.stdout).toContain('[2] Your text was: "Second?"')
})

test('it works without a running server, without an image, and as JSON lines for machines', async () => {
  await using sluice = new Installation()
  await (await sluice.start()).kill()
  const { code, stdout } = await sluice.run(['generate', '--text', 'Hello!', '--json', ...practice])
  expect(code).toBe(0)
  const events = stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
  expect(events.map((event) => event.text).join('')).toContain('Your text was: "Hello!"')
  expect(events.every((event) => event.batch_id === 0)).toBe(true)
})

test('what is missing or unknown is said in a sentence', async () => {
  await using sluice = new Installation()
  await sluice.start()
  expect(await sluice.run(['generate'])).toMatchObject({ code: 2, stderr: expect.stringContaining('--text TEXT') })
  const noFile = await sluice.run(['generate', '--text', 'a', '--image', 'none.png'])
  expect([noFile.code, noFile.stderr]).toEqual([2, 'There is no file none.png.\n'])
  const noGroup = await sluice.run(['generate', '--text', 'a', '--group', 'nowhere'])
  expect([noGroup.code, noGroup.stderr.includes('"nowhere"')]).toEqual([1, true])
})
