import { describe, expect, test } from 'bun:test'
import { chunkerAliases, chunkerOf, chunkers, findChunker, resolveChunker } from './chunkers.ts'

describe('a chunker is found', () => {
  test('by its name and by its alias', () => {
    for (const chunker of chunkers) expect(chunkerOf(chunker.name)).toBe(chunker)
    for (const [alias, name] of Object.entries(chunkerAliases)) expect(chunkerOf(alias).name).toBe(name)
  })

  test('by no other name', () => {
    for (const name of ['', 'Token', 'tokens', 'constructor', '__proto__']) expect(findChunker(name)).toBeUndefined()
    expect(() => chunkerOf('fixed')).toThrow('known are token, sentence, character, page, semantic')
  })
})

describe('options of a chunker', () => {
  test('have the defaults of the chunker', () => {
    const chunker = { name: 'token', units: 256, overlap: 0, tokenizer: 'cl100k_base' }
    expect(resolveChunker('TokenChunker', { units: null, overlap: undefined })).toEqual({ kind: 'resolved', chunker })
  })

  test('are taken as they are sent', () => {
    const options = { units: 100, overlap: 20, tokenizer: 'o200k_base', percentile: 80 }
    expect(resolveChunker('semantic', options)).toEqual({ kind: 'resolved', chunker: { name: 'semantic', ...options } })
  })

  test.each([
    ['fixed', {}, 'name'],
    ['token', { size: 3 }, 'size'],
    ['token', { percentile: 80 }, 'percentile'],
    ['token', { units: 0 }, 'units'],
    ['token', { units: 1.5 }, 'units'],
    ['token', { units: '256' }, 'units'],
    ['token', { units: 8193 }, 'units'],
    ['page', { units: 65 }, 'units'],
    ['token', { overlap: -1 }, 'overlap'],
    ['token', { units: 10, overlap: 10 }, 'overlap'],
    ['token', { overlap: 256 }, 'overlap'],
    ['token', { tokenizer: 'p50k_base' }, 'tokenizer'],
    ['semantic', { percentile: 101 }, 'percentile'],
  ])('of %s are refused when they make no sense: %p', (name, options, option) => {
    expect(resolveChunker(name, options)).toMatchObject({ kind: 'refused', option })
  })

  test('that are refused are explained by what would be right', () => {
    expect(resolveChunker('sentence', { units: 8, overlap: 8 })).toMatchObject({
      message: '"overlap" is a whole number of sentences, 0 to 7: less than "units".',
    })
  })
})
