/** Names with their values, one pair on each line. */
import type { ReactNode } from 'react'
import { CopyButton } from './copy-button.tsx'
import styles from './facts.module.css'

export function Facts({ children }: { readonly children: ReactNode }) {
  return <dl className={styles.facts}>{children}</dl>
}

export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  )
}

export interface CopiedFactProps {
  readonly text: string
  /** The noun for the text: "request id". */
  readonly what: string
}

/** A value with a button that copies it. */
export function CopiedFact({ text, what }: CopiedFactProps) {
  return (
    <span className={styles.copied}>
      <code>{text}</code>
      <CopyButton text={text} what={what} />
    </span>
  )
}
