/**
 * Formulas of Office documents as one line: √(x), ∑_(i=1)^n, f(x), (a+b)/2, c^2.
 * (ECMA-376, part 1, 22.1 Office Math Markup Language.)
 */
import { attributeOf, childOf, childrenOf, type XmlElement } from '../xml.ts'

type Write = (element: XmlElement) => string

/** Properties: the signs among them are read by what they belong to. */
const properties = /Pr$/

/** The text of a formula or a part of one. */
export function formulaText(element: XmlElement): string {
  const write = writers.get(element.name)
  return write === undefined ? contentOf(element) : write(element)
}

function contentOf(element: XmlElement | null): string {
  let text = ''
  for (const child of element?.children ?? []) {
    if (typeof child === 'string') text += element?.name === 't' ? child : ''
    else if (!properties.test(child.name)) text += formulaText(child)
  }
  return text
}

const part = (element: XmlElement, name: string): string => contentOf(childOf(element, name))

/** In brackets, unless it is one sign. */
const grouped = (text: string): string => (text.length > 1 ? `(${text})` : text)
const marked = (sign: string, text: string): string => (text === '' ? '' : sign + grouped(text))

/** A sign that the properties name; it may be empty. */
function signOf(element: XmlElement, name: string, byDefault: string): string {
  const sign = childOf(childOf(element, `${element.name}Pr`), name)
  return sign === null ? byDefault : (attributeOf(sign, 'val') ?? '')
}

const roots = new Map([
  ['', '√'],
  ['2', '√'],
  ['3', '∛'],
  ['4', '∜'],
])

function root(element: XmlElement): string {
  const degree = part(element, 'deg')
  const sign = roots.get(degree)
  return sign === undefined ? `√[${degree}]${grouped(part(element, 'e'))}` : sign + grouped(part(element, 'e'))
}

const writers = new Map<string, Write>([
  ['sSup', (element) => part(element, 'e') + marked('^', part(element, 'sup'))],
  ['sSub', (element) => part(element, 'e') + marked('_', part(element, 'sub'))],
  ['sSubSup', (element) => part(element, 'e') + marked('_', part(element, 'sub')) + marked('^', part(element, 'sup'))],
  ['sPre', (element) => marked('_', part(element, 'sub')) + marked('^', part(element, 'sup')) + part(element, 'e')],
  ['f', (element) => `${grouped(part(element, 'num'))}/${grouped(part(element, 'den'))}`],
  ['rad', root],
  [
    'nary',
    (element) =>
      `${signOf(element, 'chr', '∫')}${marked('_', part(element, 'sub'))}${marked('^', part(element, 'sup'))} ${part(element, 'e')}`,
  ],
  [
    'd',
    (element) =>
      signOf(element, 'begChr', '(') +
      childrenOf(element, 'e')
        .map(contentOf)
        .join(signOf(element, 'sepChr', '|')) +
      signOf(element, 'endChr', ')'),
  ],
  [
    'func',
    (element) => {
      const [name, argument] = [part(element, 'fName'), part(element, 'e')]
      return `${name}${/^[([{|]/.test(argument) || argument === '' ? '' : ' '}${argument}`
    },
  ],
  ['limLow', (element) => part(element, 'e') + marked('_', part(element, 'lim'))],
  ['limUpp', (element) => part(element, 'e') + marked('^', part(element, 'lim'))],
  ['acc', (element) => part(element, 'e') + signOf(element, 'chr', '\u0302')],
  [
    'm',
    (element) =>
      childrenOf(element, 'mr')
        .map((row) => childrenOf(row, 'e').map(contentOf).join(', '))
        .join('; '),
  ],
  ['eqArr', (element) => childrenOf(element, 'e').map(contentOf).join('; ')],
])
