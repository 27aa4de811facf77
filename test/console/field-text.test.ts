/** What a form says of a value that the server refused. */
import { expect, test } from 'bun:test'
import { fieldText } from '../../ui/src/components/field-text.ts'

test('the server’s words lose the name of the API’s field, and keep what is wrong', () => {
  const param = 'composite.components'
  for (const [message, text] of [
    ['"composite.components": expected at least 1 item.', 'Expected at least 1 item.'],
    ['"composite.components": expected an array, and it is missing.', 'Fill this in.'],
    ['"composite.components.1.weight": expected a number.', 'Entry 2, weight: expected a number.'],
    ['"composite.components.0.api_key.name": "x": y.', 'Entry 1, api key, name: "x": y.'],
    // A sentence already, or about another field.
    ['The model "a" does not exist.', 'The model "a" does not exist.'],
    ['"composite.componentsX": expected a number.', '"composite.componentsX": expected a number.'],
    ['"name" is taken.', '"name" is taken.'],
  ] as const)
    expect(fieldText(message, param)).toBe(text)
})

test('above a form, the whole path is said in words', () => {
  expect(fieldText('"composite.components.0.weight": expected a number.', '')).toBe(
    'Composite, components, entry 1, weight: expected a number.',
  )
  expect(fieldText('The model "a" does not exist.', '')).toBe('The model "a" does not exist.')
})
