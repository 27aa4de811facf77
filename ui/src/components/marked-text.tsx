/** A text in which the words that were looked for stand out. */
import styles from './marked-text.module.css'
import { wordPattern } from './word-pattern.ts'

export function MarkedText({ text, words }: { readonly text: string; readonly words: readonly string[] }) {
  const pattern = wordPattern(words)
  if (pattern === null) return text
  return text.split(pattern).map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      <mark key={index} className={styles.mark}>
        {part}
      </mark>
    ),
  )
}
