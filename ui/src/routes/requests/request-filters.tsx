/** The filters of the page of requests. */
import { useQuery } from '@tanstack/react-query'
import { memo } from 'react'
import { keyName, useNames } from '../../api/names.ts'
import { allModelsQuery, allProvidersQuery, ownModelsQuery, type UsageScope } from '../../api/queries.ts'
import { ComboboxFilter } from '../../components/combobox-filter.tsx'
import { FilterForm, SelectFilter } from '../../components/filter-form.tsx'
import { RangePicker } from '../range-picker.tsx'
import type { RequestsSearch } from '../search.ts'
import { useUserSearch } from '../users/user-picker.tsx'
import { keyChoicesQuery } from './queries.ts'
import { RequestIdSearch } from './request-id-search.tsx'

export interface RequestFiltersProps {
  readonly search: RequestsSearch
  readonly scope: UsageScope
  readonly onChange: (search: RequestsSearch) => void
}

const outcomes = [
  ['success', 'Answered'],
  ['error', 'All errors'],
  ['client_error', 'Errors 4xx'],
  ['server_error', 'Errors 5xx'],
] as const

const noFilter: RequestsSearch = {
  model: undefined,
  user: undefined,
  key: undefined,
  provider: undefined,
  status: undefined,
}

/** True when the list does not show every request of the time range. */
export function isFiltered({ model, user, key, provider, status }: RequestsSearch): boolean {
  return [model, user, key, provider, status].some((value) => value !== undefined)
}

/** Memoised: rendering the comboboxes for each new page of rows costs more than the rows. */
export const RequestFilters = memo(PlainRequestFilters)

function PlainRequestFilters({ search, scope, onChange }: RequestFiltersProps) {
  const own = useQuery({ ...ownModelsQuery, enabled: scope === 'self' })
  const all = useQuery({ ...allModelsQuery, enabled: scope === 'everyone' })
  const models = (all.data ?? own.data ?? []).map(({ name }) => name).toSorted((a, b) => a.localeCompare(b))
  return (
    <FilterForm label="Filter requests" onClear={isFiltered(search) ? () => onChange(noFilter) : null}>
      <RangePicker range={search} onChange={onChange} />
      <ComboboxFilter
        label="Model"
        all="All models"
        options={models.map((name) => ({ value: name }))}
        value={search.model}
        onChange={(model) => onChange({ model })}
      />
      {scope === 'everyone' && (
        <UserFilter user={search.user} onChange={(user) => onChange({ user, key: undefined })} />
      )}
      <KeyFilter search={search} scope={scope} onChange={onChange} />
      {scope === 'everyone' && <ProviderFilter provider={search.provider} onChange={onChange} />}
      <SelectFilter
        label="Outcome"
        all="All outcomes"
        options={outcomes}
        value={search.status}
        onChange={(status) => onChange({ status })}
      />
      <RequestIdSearch />
    </FilterForm>
  )
}

interface UserFilterProps {
  readonly user: string | undefined
  readonly onChange: (user: string | undefined) => void
}

function UserFilter({ user, onChange }: UserFilterProps) {
  const { userOf, ...found } = useUserSearch()
  const [email] = useNames({ kind: 'user', scope: 'everyone' }, [user ?? null])
  return (
    <ComboboxFilter
      {...found}
      label="User"
      all="All users"
      value={user === undefined ? undefined : email}
      onChange={(chosen) => onChange(userOf(chosen)?.id)}
    />
  )
}

function KeyFilter({ search: { user, key }, scope, onChange }: RequestFiltersProps) {
  const { data } = useQuery(keyChoicesQuery(scope, user))
  const choices = (data?.keys ?? []).map((each) => ({ id: each.id, label: keyName(each) }))
  const [name] = useNames({ kind: 'key', scope }, [key ?? null])
  return (
    <ComboboxFilter
      label="API key"
      all="All keys"
      options={choices.map(({ label }) => ({ value: label }))}
      value={key === undefined ? undefined : name}
      onChange={(label) => onChange({ key: choices.find((choice) => choice.label === label)?.id })}
      note={
        data?.hasMore === true ? `The first ${choices.length} keys. Choose a user to see the user’s keys.` : undefined
      }
    />
  )
}

interface ProviderFilterProps {
  readonly provider: string | undefined
  readonly onChange: (search: RequestsSearch) => void
}

function ProviderFilter({ provider, onChange }: ProviderFilterProps) {
  const providers = useQuery({ ...allProvidersQuery, staleTime: 60_000 }).data ?? []
  return (
    <ComboboxFilter
      label="Provider"
      all="All providers"
      options={providers.map(({ name }) => ({ value: name }))}
      value={provider}
      onChange={(chosen) => onChange({ provider: chosen })}
    />
  )
}
