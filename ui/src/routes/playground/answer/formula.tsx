/** A formula in TeX as MathML, which browsers draw with their own fonts. Loads when the first formula is shown. */
import { createElement, memo, type CSSProperties, type ReactNode } from 'react'
import { formulaTree, type FormulaNode } from './formula-tree.ts'
import styles from './formula.module.css'

export interface FormulaProps {
  readonly text: string
  /** On lines of its own. */
  readonly block: boolean
}

export const Formula = memo(function Formula({ text, block }: FormulaProps) {
  const nodes = formulaTree(text, block)
  if (nodes === null) return <code>{text}</code>
  const drawn = nodes.map(elementOf)
  return block ? (
    // The box scrolls sideways, so it must be reachable by keyboard.
    <div className={styles.block} role="group" aria-label="Formula" tabIndex={0}>
      {drawn}
    </div>
  ) : (
    <span className={styles.inline}>{drawn}</span>
  )
})

function elementOf(node: FormulaNode, key: number): ReactNode {
  if (typeof node === 'string') return node
  const { tag, attributes, style, children } = node
  return createElement(tag, { key, ...attributes, style: style as CSSProperties }, ...children.map(elementOf))
}
