/**
 * A formula in TeX as a tree of MathML. The library makes one; this module decides what is shown of it: only elements, attributes
 * and styles of the lists below, so that a formula of a hostile answer is no more than a formula. Nothing here touches the page.
 */
import temml from 'temml'

/** An element, or a text. */
export type FormulaNode =
  | string
  | {
      readonly tag: string
      readonly attributes: Readonly<Record<string, string>>
      readonly style: Readonly<Record<string, string>>
      readonly children: readonly FormulaNode[]
    }

/** Longer ones are shown as they are written. */
const charactersMax = 2000
const expansionsMax = 200
/** The largest rules and the smallest, in em: a formula must not draw over the page. */
const sizes: readonly [number, number] = [4, 12]
/** What defines macros, links, or changes how the rest of the text is read. */
const refusedPattern =
  /\\(?:[egx]?def|let|futurelet|global|(?:re)?newcommand|providecommand|href|url|includegraphics|class|id|style|data)(?![a-zA-Z])/
const depthMax = 60
const nodesMax = 4000

const elements = new Set(
  'math merror mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover none semantics'.split(
    ' ',
  ),
)
const attributes = new Set(
  'accent accentunder columnalign columnlines columnspacing depth display displaystyle fence form height largeop linethickness lspace mathvariant maxsize minsize movablelimits notation rowalign rowlines rowspacing rspace scriptlevel separator stretchy symmetric voffset width'.split(
    ' ',
  ),
)
const styleNames = new Set(
  'border borderTop borderBottom borderLeft borderRight color fontSize fontStyle fontWeight height letterSpacing mathDepth mathStyle mathShift minWidth padding paddingBottom paddingLeft paddingRight paddingTop textAlign verticalAlign width'.split(
    ' ',
  ),
)

/** The nodes of a formula; null when it cannot be read, or is refused. */
export function formulaTree(text: string, block: boolean): readonly FormulaNode[] | null {
  if (text.length > charactersMax || refusedPattern.test(text)) return null
  try {
    const options = { displayMode: block, throwOnError: true, trust: false, maxExpand: expansionsMax, maxSize: sizes }
    const tree: unknown = temml.__renderToMathMLTree(text, { ...options, maxSize: [...sizes] })
    return nodesOf(tree, { depth: 0, left: { nodes: nodesMax } })
  } catch {
    // Also a formula that is nested too deep for the library.
    return null
  }
}

interface Limits {
  readonly depth: number
  readonly left: { nodes: number }
}

/** Throws for what is not on the lists, and for a tree that is too large. */
function nodesOf(node: unknown, { depth, left }: Limits): readonly FormulaNode[] {
  left.nodes -= 1
  if (depth > depthMax || left.nodes < 0) throw new Error('The formula is too large.')
  if (!isRecord(node)) throw new Error('The library made something unknown.')
  if (typeof node['text'] === 'string') return [node['text']]
  const { type: tag, children: all } = node
  const children = (Array.isArray(all) ? all : []).flatMap((child: unknown) =>
    nodesOf(child, { depth: depth + 1, left }),
  )
  // A fragment: its children belong to the parent.
  if (tag === undefined) return children
  if (typeof tag !== 'string' || !elements.has(tag)) throw new Error('The formula has an element that is not shown.')
  return [
    { tag, attributes: chosen(node['attributes'], attributes), style: chosen(node['style'], styleNames), children },
  ]
}

function chosen(all: unknown, names: ReadonlySet<string>): Readonly<Record<string, string>> {
  if (!isRecord(all)) return {}
  const known = Object.entries(all).filter(([name, value]) => names.has(name) && value !== undefined && value !== null)
  return Object.fromEntries(known.map(([name, value]) => [name, String(value)]))
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
