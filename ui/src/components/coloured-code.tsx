/** Code with its words in colours. Loads when the first code is shown. */
import { useMemo } from 'react'
import { codeWords } from './code-words.ts'
import styles from './coloured-code.module.css'
import type { CodeSample } from './code-block.tsx'

export function ColouredCode({ language, code }: CodeSample) {
  const words = useMemo(() => codeWords(code, language), [code, language])
  if (words === null) return code
  return words.map(({ kind, text }, at) =>
    kind === null ? (
      text
    ) : (
      <span key={at} className={styles[kind]}>
        {text}
      </span>
    ),
  )
}
