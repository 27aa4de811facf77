/** The search tab: searches the user's documents and shows the scores of each hit. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { asApiError } from '../../../api/api-error.ts'
import { Button } from '../../../components/button.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { Field } from '../../../components/field.tsx'
import { countText } from '../../../components/format.ts'
import { searchWords } from '../../../components/highlight.ts'
import { Icon } from '../../../components/icon.tsx'
import { Input, Select } from '../../../components/input.tsx'
import { Notice } from '../../../components/notice.tsx'
import { Skeleton } from '../../../components/skeleton.tsx'
import { DocumentFilterFields } from '../document-filter-fields.tsx'
import { searchQuery, type SearchBody } from '../queries.ts'
import { HitView } from './hit-view.tsx'
import styles from './search-tab.module.css'

export interface SearchTabProps {
  /** The query; null before the first search. */
  readonly query: string | null
  readonly onQuery: (query: string) => void
}

type Mode = NonNullable<SearchBody['mode']>

const modes: readonly (readonly [Mode, string])[] = [
  ['auto', 'what suits the documents'],
  ['hybrid', 'meaning and words'],
  ['vector', 'meaning'],
  ['keyword', 'words'],
]

interface Filters {
  readonly mode: Mode
  readonly category: string
  readonly topK: string
}

export function SearchTab({ query, onQuery }: SearchTabProps) {
  const [typed, setTyped] = useState(query ?? '')
  const [filters, setFilters] = useState<Filters>({ mode: 'auto', category: '', topK: '' })
  const [asked, setAsked] = useState(filters)
  return (
    <div className={styles.search}>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault()
          setAsked(filters)
          onQuery(typed.trim())
        }}
      >
        <div className={styles.question}>
          <Input
            type="search"
            aria-label="Search the documents"
            placeholder="A question or words"
            required
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
          <Button type="submit" variant="primary">
            <Icon name="search" />
            Search
          </Button>
        </div>
        <FilterFields filters={filters} onChange={(next) => setFilters({ ...filters, ...next })} />
      </form>
      {query === null || query === '' ? (
        <EmptyState icon="search" title="Search your documents">
          The search finds passages by meaning, by words, or by both. Import documents on the page Documents.
        </EmptyState>
      ) : (
        <Hits query={query} filters={asked} />
      )}
    </div>
  )
}

interface FilterFieldsProps {
  readonly filters: Filters
  readonly onChange: (filters: Partial<Filters>) => void
}

function FilterFields({ filters: { mode, category, topK }, onChange }: FilterFieldsProps) {
  return (
    <div className={styles.filters}>
      <Field label="Search by">
        <Select
          value={mode}
          onChange={({ target }) => onChange({ mode: modes.find(([each]) => each === target.value)?.[0] ?? 'auto' })}
        >
          {modes.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </Select>
      </Field>
      <DocumentFilterFields
        category={category}
        topK={topK}
        count={{ label: 'Maximum hits', max: 200, placeholder: '10' }}
        onChange={onChange}
      />
    </div>
  )
}

function Hits({ query, filters: { mode, category, topK } }: { readonly query: string; readonly filters: Filters }) {
  const found = useQuery(
    searchQuery({
      query,
      mode,
      ...(category.trim() !== '' && { category: category.trim() }),
      ...(topK !== '' && { top_k: Number(topK) }),
    }),
  )
  const words = searchWords(query)
  if (found.error !== null) return <ErrorNotice error={asApiError(found.error)} onRetry={() => void found.refetch()} />
  if (found.data === undefined) return <Skeleton lines={6} label="Searching" />
  const { data: hits, mode: used, warnings } = found.data
  return (
    <>
      {warnings.map((warning) => (
        <Notice key={warning} tone="warning">
          {warning}
        </Notice>
      ))}
      <p role="status" className={styles.count}>
        {countText(hits.length, 'passage')}, by {modes.find(([each]) => each === used)?.[1]}
      </p>
      {hits.length === 0 ? (
        <EmptyState icon="search" title="No passages found">
          Try other words, search by meaning, or clear the category. Documents that are still being processed cannot be
          found yet.
        </EmptyState>
      ) : (
        <ol className={styles.hits} aria-label="Passages">
          {hits.map((hit) => (
            <HitView key={hit.id} hit={hit} words={words} />
          ))}
        </ol>
      )}
    </>
  )
}
