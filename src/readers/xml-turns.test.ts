import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { eachElement, eachElementInTurns, textOf } from './xml.ts'

const wanted = new Set(['b'])

test('in turns the same is visited as at once, and the same texts are refused', async () => {
  const element = fc.constantFrom(
    '<a>',
    '</a>',
    '<b>',
    '</b>',
    '<x:b c="<">',
    '</x:b>',
    'text &amp; more',
    '<b/>',
    '<!-- <b> -->',
  )
  await fc.assert(
    fc.asyncProperty(fc.array(element, { maxLength: 20 }), async (parts) => {
      const text = `<r>${parts.join('')}</r>`
      const [atOnce, inTurns]: [string[], string[]] = [[], []]
      const first = await (async () => eachElement(text, wanted, (found) => atOnce.push(textOf(found))))().catch(
        () => 'refused',
      )
      const second = await eachElementInTurns(text, wanted, (found) => inTurns.push(textOf(found))).catch(
        () => 'refused',
      )
      expect([second, inTurns]).toEqual([first, atOnce])
    }),
  )
})

test('others have their turns while a long list is read, and a text that would take one for itself is refused', async () => {
  let turns = 0
  const timer = setInterval(() => (turns += 1), 0)
  let found = 0
  await eachElementInTurns(`<r>${'<b>x</b>'.repeat(500_000)}</r>`, wanted, () => (found += 1))
  clearInterval(timer)
  expect(found).toBe(500_000)
  expect(turns).toBeGreaterThan(5)
  const long = `<r><b>${'&amp;'.repeat(100_000)}</b></r>`
  expect(await eachElementInTurns(long, wanted, () => {}).catch(() => 'refused')).toBe('refused')
})
