/** A field for several short texts. Enter, a comma or leaving the field adds one; each has a button that removes it. */
import { useState, type KeyboardEvent } from 'react'
import { useFieldControl } from './field.tsx'
import { Icon } from './icon.tsx'
import styles from './tag-input.module.css'

export interface TagInputProps {
  readonly words: readonly string[]
  readonly onChange: (words: readonly string[]) => void
  /** The noun for one text: "alias". */
  readonly what: string
  readonly placeholder?: string
}

export function TagInput({ words, onChange, what, placeholder }: TagInputProps) {
  const [typed, setTyped] = useState('')
  function add(text: string): void {
    const added = text.split(/[\s,]+/).filter((word) => word !== '' && !words.includes(word))
    setTyped('')
    if (added.length > 0) onChange([...words, ...new Set(added)])
  }
  function onKeyDown(event: KeyboardEvent<HTMLInputElement>): void {
    if (event.key === 'Backspace' && typed === '') onChange(words.slice(0, -1))
    else if ((event.key === 'Enter' || event.key === ',') && typed.trim() !== '') {
      // Enter would submit the form.
      event.preventDefault()
      add(typed)
    }
  }
  return (
    <div className={styles.box}>
      {words.map((word) => (
        <span key={word} className={styles.word}>
          {word}
          <button
            type="button"
            className={styles.remove}
            aria-label={`Remove the ${what} ${word}`}
            onClick={() => onChange(words.filter((each) => each !== word))}
          >
            <Icon name="close" size={12} />
          </button>
        </span>
      ))}
      <input
        {...useFieldControl()}
        className={styles.input}
        value={typed}
        placeholder={words.length === 0 ? placeholder : undefined}
        autoComplete="off"
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={onKeyDown}
        onBlur={() => add(typed)}
      />
    </div>
  )
}
