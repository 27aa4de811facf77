/** A list of prompts or other texts. Enter adds one; lines that are pasted become one each. */
import { useEffect, useRef } from 'react'
import { Button } from '../../../components/button.tsx'
import { FieldGroup } from '../../../components/field.tsx'
import { Icon } from '../../../components/icon.tsx'
import { Input } from '../../../components/input.tsx'
import styles from './prompt-rows.module.css'

export const promptsMax = 20

export interface PromptRow {
  readonly id: number
  readonly text: string
}

export interface PromptRowsProps {
  readonly rows: readonly PromptRow[]
  readonly onChange: (rows: readonly PromptRow[]) => void
  /** What one of them is called. */
  readonly noun?: string
  readonly placeholder?: string
}

/** Rows of texts. */
export function rowsOf(texts: readonly string[]): readonly PromptRow[] {
  return texts.map((text, id) => ({ id, text }))
}

/** The texts that are not empty. */
export function textsOf(rows: readonly PromptRow[]): readonly string[] {
  return rows.map(({ text }) => text.trim()).filter((text) => text !== '')
}

export function PromptRows({
  rows,
  onChange,
  noun = 'Prompt',
  placeholder = 'What do you want to know?',
}: PromptRowsProps) {
  const list = useRef<HTMLOListElement>(null)
  const focusAt = useRef<number | null>(null)
  useEffect(() => {
    if (focusAt.current !== null) list.current?.querySelectorAll('input')[focusAt.current]?.focus()
    focusAt.current = null
  }, [rows])

  function addAfter(at: number): void {
    if (rows.length >= promptsMax) return
    focusAt.current = at + 1
    const id = Math.max(...rows.map((row) => row.id)) + 1
    onChange(rows.toSpliced(at + 1, 0, { id, text: '' }))
  }
  function insert(at: number, lines: readonly string[]): void {
    const id = Math.max(...rows.map((row) => row.id)) + 1
    const room = promptsMax - rows.length + 1
    const added = lines.slice(0, room).map((text, index) => ({ id: id + index, text }))
    onChange(rows.toSpliced(at, 1, ...added))
  }
  return (
    <FieldGroup label={`${noun}s (${rows.length} of at most ${promptsMax})`}>
      <ol ref={list} className={styles.rows}>
        {rows.map(({ id, text }, at) => (
          <li key={id} className={styles.row}>
            <Input
              aria-label={`${noun} ${at + 1}`}
              value={text}
              placeholder={placeholder}
              onChange={(event) => onChange(rows.with(at, { id, text: event.target.value }))}
              onPaste={(event) => {
                const lines = event.clipboardData.getData('text').split(/\r?\n/)
                const full = lines.filter((line) => line.trim() !== '')
                if (full.length < 2 || text !== '') return
                event.preventDefault()
                insert(at, full)
              }}
              onKeyDown={(event) => {
                if (event.key !== 'Enter' || event.ctrlKey || event.metaKey || event.nativeEvent.isComposing) return
                event.preventDefault()
                addAfter(at)
              }}
            />
            <Button
              variant="quiet"
              icon
              aria-label={`Remove ${noun.toLowerCase()} ${at + 1}`}
              disabled={rows.length === 1}
              onClick={() => {
                focusAt.current = Math.max(0, at - 1)
                onChange(rows.toSpliced(at, 1))
              }}
            >
              <Icon name="close" />
            </Button>
          </li>
        ))}
      </ol>
      <div>
        <Button variant="quiet" disabled={rows.length >= promptsMax} onClick={() => addAfter(rows.length - 1)}>
          <Icon name="plus" />
          Add {noun.toLowerCase()}
        </Button>
      </div>
    </FieldGroup>
  )
}
