/** Finding passages by the command line. */
import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Installation } from './sluice.ts'

interface Hit {
  readonly name: string
  readonly text: string
  readonly heading_path: readonly string[]
}

test('passages are shown with where they stand, and as the API has them for machines', async () => {
  await using sluice = new Installation()
  await sluice.start()
  const nothing = await sluice.run(['search', 'anything'])
  expect(nothing).toMatchObject({ code: 0, stdout: 'Nothing was found.\n', stderr: '' })
  expect(await sluice.json(['search', 'anything'])).toEqual([])

  writeFileSync(join(sluice.directory, 'handbook.md'), '# Handbook\n\n## Leave\n\nThirty days of leave a year.\n')
  writeFileSync(join(sluice.directory, 'menu.txt'), `Lentil soup on Mondays.\n${'Potatoes again. '.repeat(60)}`)
  expect((await sluice.run(['import', 'handbook.md', '--category', 'staff'])).code).toBe(0)
  expect((await sluice.run(['import', 'menu.txt', '--category', 'kitchen'])).code).toBe(0)

  const { code, stdout } = await sluice.run(['search', 'days', 'of', 'leave', '--category', 'staff'])
  expect(code).toBe(0)
  expect(stdout).toMatch(
    /^1\. handbook\.md, Handbook › Leave {2}\(\d\.\d\d\)\n {3}\S.*Thirty days of leave a year\.\n\n$/,
  )
  const hits = await sluice.json<Hit[]>(['search', 'days of leave', '--category', 'staff', '--category', 'kitchen'])
  expect(hits[0]).toMatchObject({ name: 'handbook.md', heading_path: ['Handbook', 'Leave'] })
  expect(await sluice.json<Hit[]>(['search', 'soup', '--top-k', '1', '--mode', 'keyword'])).toMatchObject([
    { name: 'menu.txt' },
  ])
  expect((await sluice.run(['search', 'potatoes', '--category', 'kitchen'])).stdout).toContain('…\n')
})

test('wrong wishes are refused in a sentence', async () => {
  await using sluice = new Installation()
  await sluice.start()
  for (const count of ['0', '201', 'many'])
    expect(await sluice.run(['search', 'x', '--top-k', count])).toMatchObject({
      code: 2,
      lines: ['--top-k takes a whole number from 1 to 200.'],
    })
  expect(await sluice.run(['search', 'x', '--mode', 'guess'])).toMatchObject({
    code: 1,
    lines: [expect.stringContaining('mode')],
  })
  expect(await sluice.run(['search', 'x', '--rerank', 'unheard-of'])).toMatchObject({
    code: 1,
    lines: [expect.stringContaining('there is no model "unheard-of"')],
  })
  expect((await sluice.run(['search', 'x', '--rerank', 'none'])).code).toBe(0)
  expect((await sluice.run(['search'])).code).toBe(2)
})
