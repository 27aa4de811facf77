/** Which documents are listed; kept in the address, so that a filtered list can be shared and comes back. */
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Input, Select } from '../../components/input.tsx'
import type { DocumentsSearch } from '../search.ts'
import styles from './document-filters.module.css'
import { documentOptionsQuery, unfinishedStates } from './queries.ts'

/** What can be chosen as a state, with the states that it stands for. */
export const stateChoices = {
  unfinished: { label: 'In progress', states: unfinishedStates.join(',') },
  completed: { label: 'Completed', states: 'completed' },
  failed: { label: 'Failed', states: 'failed' },
  cancelled: { label: 'Cancelled', states: 'cancelled' },
} as const

export interface DocumentFiltersProps {
  readonly search: DocumentsSearch
  readonly onChange: (search: DocumentsSearch) => void
}

export function DocumentFilters({ search, onChange }: DocumentFiltersProps) {
  const { data: options } = useQuery(documentOptionsQuery)
  const categories = options?.categories ?? null
  return (
    <search className={styles.filters}>
      <TypedFilter
        label="Search names"
        placeholder="Search names…"
        value={search.q}
        onChange={(q) => onChange({ q })}
      />
      <Select
        aria-label="State"
        value={search.state ?? ''}
        onChange={(event) =>
          onChange({ state: event.target.value === '' ? undefined : (event.target.value as keyof typeof stateChoices) })
        }
      >
        <option value="">All states</option>
        {Object.entries(stateChoices).map(([value, { label }]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </Select>
      {categories === null ? (
        <TypedFilter
          label="Category"
          placeholder="Category"
          value={search.category}
          onChange={(category) => onChange({ category })}
        />
      ) : (
        <Select
          aria-label="Category"
          value={search.category ?? ''}
          onChange={(event) => onChange({ category: event.target.value || undefined })}
        >
          <option value="">All categories</option>
          {categories.map((category) => (
            <option key={category}>{category}</option>
          ))}
        </Select>
      )}
    </search>
  )
}

interface TypedFilterProps {
  readonly label: string
  readonly placeholder: string
  readonly value: string | undefined
  readonly onChange: (value: string | undefined) => void
}

const settledMs = 250

/** Asks the server once typing pauses. */
function TypedFilter({ label, placeholder, value = '', onChange }: TypedFilterProps) {
  const [typed, setTyped] = useState(value)
  const [known, setKnown] = useState(value)
  // The address has changed by itself: back, forward, "clear".
  if (known !== value) {
    setKnown(value)
    setTyped(value)
  }
  useEffect(() => {
    if (typed === value) return
    const timer = setTimeout(() => onChange(typed.trim() || undefined), settledMs)
    return () => clearTimeout(timer)
  }, [typed, value, onChange])
  return (
    <Input
      type="search"
      aria-label={label}
      placeholder={placeholder}
      value={typed}
      maxLength={255}
      onChange={(event) => setTyped(event.target.value)}
    />
  )
}
