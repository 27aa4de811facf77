/** A text in which the words of a search are marked. */
import { highlighted } from './highlight.ts'
import styles from './marked-text.module.css'

export interface MarkedTextProps {
  readonly text: string
  /** As `searchWords` answers them. */
  readonly words: readonly string[]
}

export function MarkedText({ text, words }: MarkedTextProps) {
  return highlighted(text, words).map((part, index) =>
    part.isHit ? (
      <mark key={index} className={styles.mark}>
        {part.text}
      </mark>
    ) : (
      part.text
    ),
  )
}
