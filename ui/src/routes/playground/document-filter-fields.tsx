/** The fields that limit a search or a chat to some documents and to a number of passages. */
import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { NumberField, TextField } from '../../components/text-field.tsx'
import { documentOptionsQuery } from '../documents/queries.ts'

export interface DocumentFilterFieldsProps {
  readonly category: string
  /** The number as it is typed. */
  readonly topK: string
  /** The label, the limit and the server's default of the number. */
  readonly count: { readonly label: string; readonly max: number; readonly placeholder: string }
  readonly onChange: (fields: { readonly category: string } | { readonly topK: string }) => void
}

export function DocumentFilterFields({ category, topK, count, onChange }: DocumentFilterFieldsProps) {
  const { data: options } = useQuery(documentOptionsQuery)
  const listId = useId()
  return (
    <>
      <TextField
        label="Category"
        list={listId}
        placeholder="all"
        value={category}
        onChange={(next) => onChange({ category: next })}
      />
      <datalist id={listId}>
        {(options?.categories ?? []).map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <NumberField {...count} min={1} value={topK} onChange={(next) => onChange({ topK: next })} />
    </>
  )
}
