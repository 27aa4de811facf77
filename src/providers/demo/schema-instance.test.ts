import { describe, expect, test } from 'bun:test'
import { schemaInstance } from './schema-instance.ts'

describe('keywords', () => {
  test.each([
    ['const', { const: 'x' }, 'x'],
    ['a const of null', { const: null }, null],
    ['enum', { enum: ['b', 'a'] }, 'b'],
    ['string', { type: 'string' }, ''],
    ['minLength', { type: 'string', minLength: 3 }, 'aaa'],
    ['format', { type: 'string', format: 'date' }, '2000-01-01'],
    ['integer', { type: 'integer' }, 0],
    ['minimum', { type: 'integer', minimum: 2.5 }, 3],
    ['exclusiveMinimum', { type: 'integer', exclusiveMinimum: 4 }, 5],
    ['maximum', { type: 'number', maximum: -2 }, -2],
    ['exclusive bounds', { type: 'number', exclusiveMinimum: 1, exclusiveMaximum: 2 }, 1.5],
    ['exclusiveMaximum', { type: 'integer', exclusiveMaximum: 0 }, -1],
    ['a range below zero', { type: 'number', minimum: -9, maximum: -4 }, -4],
    ['multipleOf', { type: 'integer', minimum: 7, multipleOf: 5 }, 10],
    ['boolean', { type: 'boolean' }, false],
    ['null', { type: 'null' }, null],
    ['a list of types', { type: ['string', 'null'] }, ''],
    ['anyOf', { anyOf: [{ type: 'null' }, { type: 'string' }] }, null],
    ['oneOf', { oneOf: [{ const: 1 }, { const: 2 }] }, 1],
    ['items and minItems', { type: 'array', items: { type: 'boolean' }, minItems: 2 }, [false, false]],
    ['prefixItems', { type: 'array', prefixItems: [{ const: 1 }], items: { const: 2 }, minItems: 2 }, [1, 2]],
    ['no schema at all', true, {}],
    ['a type that only its keywords tell', { properties: { a: { const: 1 } }, required: ['a'] }, { a: 1 }],
  ])('%s', (_, schema, expected) => {
    expect(schemaInstance(schema)).toEqual(expected)
  })

  test('an object holds what is required and nothing more', () => {
    const schema = {
      type: 'object',
      properties: { name: { type: 'string' }, age: { type: 'integer' }, note: { type: 'string' } },
      required: ['name', 'age'],
    }
    expect(schemaInstance(schema)).toEqual({ name: '', age: 0 })
  })

  test('allOf unites what its parts require', () => {
    const schema = {
      type: 'object',
      properties: { own: { const: 0 } },
      required: ['own'],
      allOf: [{ properties: { a: { const: 1 } }, required: ['a'] }, { $ref: '#/$defs/b' }],
      $defs: { b: { properties: { b: { const: 2 } }, required: ['b'] } },
    }
    expect(schemaInstance(schema)).toEqual({ own: 0, a: 1, b: 2 })
  })
})

describe('references', () => {
  test('a reference within the document is followed, escapes included', () => {
    const schema = { $ref: '#/$defs/a~1b', $defs: { 'a/b': { const: 'found' } } }
    expect(schemaInstance(schema)).toBe('found')
  })

  test('a recursive schema ends at the first way out, with or without keywords beside the reference', () => {
    const next = { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }], description: 'the rest of the list' }
    const node = { type: 'object', properties: { next, twin: next }, required: ['next', 'twin'] }
    expect(schemaInstance({ $ref: '#/$defs/node', title: 'list', $defs: { node } })).toEqual({ next: null, twin: null })
  })

  test.each([
    ['a required endless recursion', { type: 'object', properties: { self: { $ref: '#' } }, required: ['self'] }],
    ['a reference to itself', { $ref: '#' }],
    ['a reference to nothing', { $ref: '#/$defs/none' }],
    ['a reference out of the document', { $ref: 'https://example.com/schema.json' }],
  ])('%s has no instance', (_, schema) => {
    expect(schemaInstance(schema)).toBeUndefined()
  })
})

describe('limits', () => {
  test.each([
    ['false', false],
    ['no room between the bounds', { type: 'integer', exclusiveMinimum: 1, exclusiveMaximum: 2 }],
    ['a huge array', { type: 'array', items: { type: 'null' }, minItems: 1e9 }],
    ['a huge string', { type: 'string', minLength: 1e9 }],
    ['an unknown type', { type: 'quaternion' }],
  ])('%s has no instance', (_, schema) => {
    expect(schemaInstance(schema)).toBeUndefined()
  })

  test('a schema that doubles with each level is given up, not computed', () => {
    const defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, level) => {
        const below = level === 39 ? false : { $ref: `#/$defs/l${level + 1}` }
        return [`l${level}`, { anyOf: [below, { allOf: [below] }] }]
      }),
    )
    expect(schemaInstance({ $ref: '#/$defs/l0', $defs: defs })).toBeUndefined()
  })
})
