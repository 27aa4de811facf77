/** The list of prompts. Enter adds a prompt. */
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
}

export function PromptRows({ rows, onChange }: PromptRowsProps) {
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
  return (
    <FieldGroup label={`Prompts (${rows.length} of at most ${promptsMax})`}>
      <ol ref={list} className={styles.rows}>
        {rows.map(({ id, text }, at) => (
          <li key={id} className={styles.row}>
            <Input
              aria-label={`Prompt ${at + 1}`}
              value={text}
              placeholder="What do you want to know?"
              onChange={(event) => onChange(rows.with(at, { id, text: event.target.value }))}
              onKeyDown={(event) => {
                if (event.key !== 'Enter' || event.ctrlKey || event.metaKey || event.nativeEvent.isComposing) return
                event.preventDefault()
                addAfter(at)
              }}
            />
            <Button
              variant="quiet"
              icon
              aria-label={`Remove prompt ${at + 1}`}
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
          Add prompt
        </Button>
      </div>
    </FieldGroup>
  )
}
