/** How formulas of models are drawn: as MathML of known elements, bounded in size, and as they are written when that fails. */
import { expect, test } from 'bun:test'
import { formulaTree, type FormulaNode } from '../../ui/src/routes/playground/answer/formula-tree.ts'

interface Drawn {
  readonly types: ReadonlySet<string>
  readonly props: readonly (readonly [string, unknown])[]
  readonly count: number
}

/** All elements of a formula, and their properties. */
function drawnBy(nodes: readonly FormulaNode[] | null): Drawn {
  const types = new Set<string>()
  const props: (readonly [string, unknown])[] = []
  let count = 0
  const walk = (node: FormulaNode): void => {
    if (typeof node === 'string') return
    count += 1
    types.add(node.tag)
    props.push(...Object.entries(node.attributes), ...Object.entries(node.style))
    node.children.forEach(walk)
  }
  nodes?.forEach(walk)
  return { types, props, count }
}

test('common formulas are drawn as MathML', () => {
  const formulas = String.raw`\frac{a}{b} ; \sum_{i=1}^n i^2 ; \int_0^\infty e^{-x^2}\,dx=\frac{\sqrt\pi}{2}
\begin{pmatrix}a&b\\c&d\end{pmatrix} ; \begin{aligned}a&=b\\c&=d\end{aligned} ; \begin{cases}1&x>0\\0&\text{else}\end{cases}
\boxed{x} ; \underbrace{a+b}_{c} ; \operatorname{softmax}(x) ; \mathbb{R}^{d\times d} ; \hat{x}\cdot\vec{v} ; \left(\frac12\right]`
  for (const text of formulas.split(/ ; |\n/)) {
    const tree = formulaTree(text, true)
    expect([text, tree === null]).toEqual([text, false])
    expect([text, drawnBy(tree).types.has('math')]).toEqual([text, true])
  }
})

test('no formula makes a link, an image, a class, an id or an address, whatever it says', () => {
  const hostile = String.raw`\href{javascript:alert(1)}{x} ; \url{http://evil.example} ; \includegraphics{http://evil.example/x.png} ; \class{x}{y} ; \id{main}{y} ; \style{position:fixed}{y} ; \data{a=b}{y} ; \def\a{\a\a}\a ; \newcommand{\a}{b}\a ; \let\a\b ; \text{<img src=x onerror=alert(1)>} ; \color{url(http://evil.example)}x ; \label{main}x ; \tag{1}\label{a}x ; \ref{a}`
  const allowed = new Set([
    'math',
    'mrow',
    'mi',
    'mo',
    'mn',
    'mtext',
    'mstyle',
    'mtable',
    'mtr',
    'mtd',
    'mspace',
    'mpadded',
    'semantics',
  ])
  for (const text of hostile.split(' ; ')) {
    const { types, props } = drawnBy(formulaTree(text, true))
    expect([text, [...types].filter((type) => !allowed.has(type))]).toEqual([text, []])
    const odd = props.filter(
      ([name, value]) => /^(on|href|src|id|class)/i.test(name) || /url\(|script/i.test(String(value)),
    )
    expect([text, odd]).toEqual([text, []])
  }
})

test('a formula stays small: deep, long and huge ones are shown as they are written', () => {
  const shapes: Readonly<Record<string, (size: number) => string>> = {
    braces: (size) => '{'.repeat(size) + '}'.repeat(size),
    powers: (size) => 'x^{'.repeat(size) + '}'.repeat(size),
    roots: (size) => String.raw`\sqrt{`.repeat(size) + '}'.repeat(size),
    cells: (size) => String.raw`\begin{matrix}${'&'.repeat(size)}\end{matrix}`,
    fractions: (size) => String.raw`\frac`.repeat(size),
    letters: (size) => 'x'.repeat(size),
    arrows: (size) => String.raw`\implies`.repeat(size),
  }
  for (const [name, make] of Object.entries(shapes))
    for (const size of [100, 400, 1600, 100_000]) {
      const { count } = drawnBy(formulaTree(make(size), true))
      expect([name, size, count <= 4000]).toEqual([name, size, true])
      if (size === 100_000) expect([name, count]).toEqual([name, 0])
    }
})

test('rules and spaces have bounded sizes', () => {
  const { props } = drawnBy(formulaTree(String.raw`x\rule{1000em}{1000em}y\hspace{500em}z`, false))
  const sizes = props.flatMap(([, value]) => /^(-?[\d.]+)em$/.exec(String(value))?.[1] ?? [])
  expect(sizes.map(Number).filter((size) => Math.abs(size) > 20)).toEqual([])
})
