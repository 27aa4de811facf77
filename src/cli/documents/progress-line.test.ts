import { expect, test } from 'bun:test'
import { ProgressLine } from './progress-line.ts'

function terminal(isTTY: boolean, columns = 80) {
  const written: string[] = []
  return { isTTY, columns, written, write: (text: string) => written.push(text) }
}

const erase = '\r\u001b[K'

test('the bar is full when all is done, and not before', () => {
  const shown = terminal(true)
  using line = new ProgressLine({ json: false }, shown)
  for (const done of [0, 199, 200]) line.show(done, 200, 'x')
  expect(shown.written.map((text) => text.split('█').length - 1)).toEqual([0, 23, 24])
})

test('each state replaces the one before, and the same one is not written again', () => {
  const shown = terminal(true)
  {
    using line = new ProgressLine({ json: false }, shown)
    line.show(1, 2, 'one')
    line.show(1, 2, 'one')
    line.show(2, 2, 'two')
  }
  expect(shown.written.every((text) => text.startsWith(erase))).toBe(true)
  expect([shown.written.length, shown.written.at(-1)]).toEqual([3, erase])
})

test('a narrow terminal gets one line, which does not wrap', () => {
  const shown = terminal(true, 30)
  using line = new ProgressLine({ json: false }, shown)
  line.show(1, 2, 'a text that is much longer than the terminal is wide')
  expect(shown.written[0]?.slice(erase.length)).toHaveLength(29)
})

test('nothing is written where nobody watches', () => {
  for (const [json, isTTY] of [
    [false, false],
    [true, true],
  ] as const) {
    const hidden = terminal(isTTY)
    using line = new ProgressLine({ json }, hidden)
    line.show(1, 2, 'x')
    line.clear()
    expect(hidden.written).toEqual([])
  }
})
