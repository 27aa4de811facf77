/** The filters of the page of documents. */
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { FilterForm, SelectFilter, TextFilter } from '../../components/filter-form.tsx'
import { LatePart } from '../../components/late-part.tsx'
import { lazyPart } from '../../components/lazy-part.tsx'
import type { DocumentsSearch } from '../search.ts'
import { documentOptionsQuery, unfinishedStates } from './queries.ts'

/** The choices of the state filter, with the states that each includes. */
export const stateChoices = {
  unfinished: { label: 'In progress', states: unfinishedStates.join(',') },
  completed: { label: 'Completed', states: 'completed' },
  failed: { label: 'Failed', states: 'failed' },
  cancelled: { label: 'Cancelled', states: 'cancelled' },
} as const

const stateOptions = Object.entries(stateChoices).map(
  ([value, { label }]) => [value as keyof typeof stateChoices, label] as const,
)

const noMetadata = {}

export interface DocumentFiltersProps {
  readonly search: DocumentsSearch
  readonly onChange: (search: DocumentsSearch) => void
  /** Buttons at the end of the row. */
  readonly actions: ReactNode
}

const MetadataFilter = lazyPart(() => import('./metadata-filter.tsx'), 'MetadataFilter')

const noFilter: DocumentsSearch = { q: undefined, state: undefined, category: undefined, meta: undefined }

export function DocumentFilters({ search, onChange, actions }: DocumentFiltersProps) {
  const { data: options } = useQuery(documentOptionsQuery)
  const categories = options?.categories ?? null
  const category = {
    label: 'Category',
    value: search.category,
    onChange: (next: string | undefined) => onChange({ category: next }),
  }
  return (
    <FilterForm
      label="Filter documents"
      onClear={isFiltered(search) ? () => onChange(noFilter) : null}
      actions={actions}
    >
      <TextFilter label="Search names" placeholder="Search names…" value={search.q} onChange={(q) => onChange({ q })} />
      <SelectFilter
        label="State"
        all="All states"
        options={stateOptions}
        value={search.state}
        onChange={(state) => onChange({ state })}
      />
      {categories === null ? (
        <TextFilter {...category} placeholder="Category" />
      ) : (
        <SelectFilter {...category} all="All categories" options={categories.map((name) => [name, name])} />
      )}
      <LatePart>
        <MetadataFilter
          value={search.meta ?? noMetadata}
          category={search.category}
          onChange={(meta) => onChange({ meta })}
        />
      </LatePart>
    </FilterForm>
  )
}

/** True when the list does not show every document. */
export function isFiltered({ q, state, category, meta }: DocumentsSearch): boolean {
  return [q, state, category, meta].some((value) => value !== undefined)
}
