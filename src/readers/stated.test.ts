import { describe, expect, test } from 'bun:test'
import { frontMatter, statedTexts } from './stated.ts'

describe('the settings before a text', () => {
  test('are an object of JSON values, without the title, which has a place of its own', () => {
    const yaml = 'title: T\nauthor: Ada\ntags: [a, b]\ndraft: true\nday: 2024-05-01\nnested:\n  year: 2024'
    const { day, ...others } = frontMatter(yaml)
    expect(others).toEqual({ author: 'Ada', tags: ['a', 'b'], draft: true, nested: { year: 2024 } })
    expect(day).toStartWith('2024-05-01')
  })

  test.each(['', 'just a text', '- a\n- list', 'a: [', '42'])('without an object state nothing (%#)', (yaml) => {
    expect(frontMatter(yaml)).toEqual({})
  })

  test('that stand for more than they are state nothing', () => {
    const levels = Array.from({ length: 40 }, (_each, at) => `l${at + 1}: &l${at + 1} [*l${at}, *l${at}]`)
    expect(frontMatter(['l0: &l0 lol', ...levels].join('\n'))).toEqual({})
  })
})

test('texts that a file states are single lines of a bounded length', () => {
  const texts: Readonly<Record<string, string>> = {
    Author: ' Ada\n\tLovelace ',
    Subject: '',
    Keywords: 'k'.repeat(900),
  }
  expect(
    statedTexts({ author: 'Author', subject: 'Subject', keywords: 'Keywords' }, (name) => texts[name] ?? ''),
  ).toEqual({
    author: 'Ada Lovelace',
    keywords: 'k'.repeat(500),
  })
})
