import { describe, expect, test } from 'bun:test'
import { failureOfAction } from '#test/support/documents/read-office.ts'
import fc from 'fast-check'
import {
  attributeOf,
  childOf,
  decodeXml,
  descendantsOf,
  eachElement,
  parseXml,
  prefixedAttributeOf,
  textOf,
} from './xml.ts'

describe('text', () => {
  test('the five entities and character references are decoded, in text and in attributes', () => {
    const root = parseXml('<a b="&quot;&#65;&apos;">&lt;&amp;&gt;&#x1F600;&#10;</a>')
    expect(textOf(root)).toBe('<&>😀\n')
    expect(attributeOf(root, 'b')).toBe('"A\'')
  })

  test('entities that nobody declared stay as they are written', () => {
    expect(textOf(parseXml('<a>&nbsp;&toString; & &;</a>'))).toBe('&nbsp;&toString; & &;')
  })

  test('references to no character become the replacement character', () => {
    expect(textOf(parseXml('<a>&#0;&#x110000;&#99999999;</a>'))).toBe('\ufffd\ufffd\ufffd')
  })

  test('literal text is text; comments and instructions are not', () => {
    expect(textOf(parseXml('<?xml version="1.0"?><!-- > --><a>1<![CDATA[<b>&amp;]]><!-- <c> -->2<?x >?>3</a>'))).toBe(
      '1<b>&amp;23',
    )
  })

  test('any text survives being written and read', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
        const root = parseXml(`<a x="${escaped}">${escaped}</a>`)
        expect(textOf(root)).toBe(text)
        expect(attributeOf(root, 'x')).toBe(text)
      }),
    )
  })

  test('the encoding is that of the byte order mark or the declaration', () => {
    expect(decodeXml(Buffer.from('\ufeff<a>ü</a>'))).toBe('<a>ü</a>')
    expect(decodeXml(Buffer.from('\ufeff<a>ü</a>', 'utf16le'))).toBe('<a>ü</a>')
    expect(decodeXml(Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><a>ü</a>', 'latin1'))).toContain(
      '<a>ü</a>',
    )
    expect(failureOfAction(() => decodeXml(Buffer.from('<?xml version="1.0" encoding="klingon"?><a/>')))).toBe(
      'damaged',
    )
  })
})

describe('elements', () => {
  test('prefixes are dropped; an attribute without one comes before others', () => {
    const root = parseXml(`<w:a w:val = "1" val='2' r:id="r" id="i" data-val="3" e=""/>`)
    expect(root.name).toBe('a')
    expect(attributeOf(root, 'val')).toBe('2')
    expect(attributeOf(root, 'id')).toBe('i')
    expect(prefixedAttributeOf(root, 'id')).toBe('r')
    expect(attributeOf(root, 'e')).toBe('')
    expect(attributeOf(root, 'al')).toBeNull()
  })

  test('a sign in the value of an attribute ends nothing', () => {
    const root = parseXml(`<a x="1 > 0 /" y='"z="2"'><b/></a>`)
    expect(attributeOf(root, 'x')).toBe('1 > 0 /')
    expect(attributeOf(root, 'z')).toBeNull()
    expect(childOf(root, 'b')).not.toBeNull()
  })

  test('wanted elements are visited complete, outermost, with their ancestors', () => {
    const seen: string[] = []
    eachElement(
      '<r><s n="1"><p>a<p>b</p></p></s><p/><x>no</x><s n="2"><p>c</p></s></r>',
      new Set(['p']),
      (element, ancestors) => {
        seen.push(`${ancestors.map(({ name, attributes }) => `${name}${attributes}`).join('/')}: ${textOf(element)}`)
      },
    )
    expect(seen).toEqual(['r/s n="1": ab', 'r: ', 'r/s n="2": c'])
  })

  test('descendants are in document order, the outermost of each branch', () => {
    expect(descendantsOf(parseXml('<a><b>1</b><c><b>2<b>3</b></b></c></a>'), 'b').map(textOf)).toEqual(['1', '23'])
  })
})

describe('hostile', () => {
  test('any document type is refused, entity bombs among them; one that only names itself can be let pass', () => {
    const bomb = '<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;">]><a>&c;</a>'
    expect(failureOfAction(() => parseXml(bomb))).toBe('damaged')
    expect(failureOfAction(() => parseXml(bomb, { doctypeAllowed: true }))).toBe('damaged')
    const named = '<!DOCTYPE ncx PUBLIC "-//NISO//DTD ncx 2005-1//EN" "http://example.org/ncx.dtd"><a/>'
    expect(failureOfAction(() => parseXml(named))).toBe('damaged')
    expect(parseXml(named, { doctypeAllowed: true }).name).toBe('a')
  })

  test('512 levels are read, more are refused, without reading on', () => {
    const nested = (depth: number) => `${'<a>'.repeat(depth)}x${'</a>'.repeat(depth)}`
    expect(textOf(parseXml(nested(512)))).toBe('x')
    expect(failureOfAction(() => parseXml(nested(513)))).toBe('too_complex')
    expect(failureOfAction(() => parseXml('<a>'.repeat(50_000)))).toBe('too_complex')
  })

  test('a tree of more than three million elements is refused', () => {
    expect(failureOfAction(() => parseXml(`<a>${'<b/>'.repeat(3_000_001)}</a>`))).toBe('too_complex')
  })

  test('what is not well-formed is damaged', () => {
    for (const text of [
      '',
      ' ',
      'text',
      '<',
      '<a',
      '<a>',
      '</a>',
      '<a></b>',
      '<a></ab>',
      '<a></a',
      '<a/><b/>',
      '<a></a></a>',
      '<a x="1></a>',
      '<!-- <a/>',
      '<![CDATA[',
      '<?x',
      '< a/>',
      '<>',
    ]) {
      expect(`${text}: ${failureOfAction(() => parseXml(text))}`).toBe(`${text}: damaged`)
    }
    expect(failureOfAction(() => attributeOf(parseXml('<a x=1/>'), 'x'))).toBe('damaged')
  })

  test('every cut of a document is damaged', () => {
    const whole = '<?xml version="1.0"?><!-- c --><w:a x="1" y=\'>\'><b>text &amp; more</b><![CDATA[x]]></w:a>'
    for (let length = 0; length < whole.length; length += 1) {
      expect(failureOfAction(() => parseXml(whole.slice(0, length)))).toBe('damaged')
    }
  })

  test('any text is read or refused, nothing else', () => {
    const pieces = fc.constantFrom(
      '<',
      '>',
      '/',
      '<a>',
      '</a>',
      '<a ',
      '="',
      "'",
      '<!--',
      '-->',
      '<![CDATA[',
      ']]>',
      '<?',
      '?>',
      '&amp;',
      '&',
      'x',
      '<!DOCTYPE',
      '[',
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        expect(['read', 'damaged']).toContain(failureOfAction(() => parseXml(parts.join(''))))
      }),
      { numRuns: 2_000 },
    )
  })
})
