import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brokenLinks } from '../../scripts/broken-links.ts'

let root: string
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'sluice-links-'))
  mkdirSync(join(root, 'docs'))
  writeFileSync(join(root, 'docs/target.md'), '# One page\n\n## A `b` and: c\n\n## Twice\n\n## Twice\n')
})
afterAll(() => rmSync(root, { recursive: true }))

async function broken(text: string): Promise<readonly string[]> {
  writeFileSync(join(root, 'page.md'), text)
  return brokenLinks(root, ['page.md'])
}

test('a link to a page, an anchor, a folder or the web is whole', async () => {
  const targets = [
    'docs/target.md',
    'docs/target.md#a-b-and-c',
    'docs/target.md#twice-1',
    'docs/',
    '#own',
    'https://a.b/c',
  ]
  expect(await broken(`# Own\n\n${targets.map((target) => `[\`x\`](${target})`).join(' ')}`)).toEqual([])
})

for (const target of ['docs/nothing.md', 'docs/target.md#nothing', '#nothing', 'docs/target.md#twice-2'])
  test(`a link to ${target} is named with its page`, async () => {
    expect(await broken(`# Own\n\nA [link](${target}) and \`code\`.`)).toEqual([
      `page.md: the link to ${target} leads nowhere.`,
    ])
  })

test('an image without a file is named', async () => {
  expect(await broken('<img src="nothing.png" alt="">')).toHaveLength(1)
})

test('code holds no links', async () => {
  expect(await broken('`[a](nothing.md)`\n\n```md\n[a](nothing.md)\n```\n')).toEqual([])
})
