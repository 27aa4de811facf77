/** Which requests are listed; kept in the address, so that a filtered list can be shared and comes back. */
import { useQuery } from '@tanstack/react-query'
import { memo, useState } from 'react'
import { allModelsQuery, ownModelsQuery, type UsageReach } from '../../api/queries.ts'
import { Combobox, type ComboboxOption } from '../../components/combobox.tsx'
import { Select } from '../../components/input.tsx'
import { RangePicker } from '../range-picker.tsx'
import { requestOutcomes, type RequestsSearch } from '../search.ts'
import { keyChoicesQuery, userSearchQuery } from './queries.ts'
import styles from './request-filters.module.css'

export interface RequestFiltersProps {
  readonly search: RequestsSearch
  readonly reach: UsageReach
  readonly userName: (id: string | null) => string
  readonly keyName: (id: string | null) => string
  readonly onChange: (search: RequestsSearch) => void
}

const outcomeTexts = {
  success: 'Answered',
  error: 'All errors',
  client_error: 'Errors 4xx',
  server_error: 'Errors 5xx',
} as const

/** Not rendered again while pages come in: three lists to choose from cost more than the rows do. */
export const RequestFilters = memo(PlainRequestFilters)

function PlainRequestFilters({ search, reach, userName, keyName, onChange }: RequestFiltersProps) {
  const own = useQuery({ ...ownModelsQuery, enabled: reach === 'self' })
  const all = useQuery({ ...allModelsQuery, enabled: reach === 'everyone' })
  const models = (all.data ?? own.data ?? []).map(({ name }) => name).toSorted((a, b) => a.localeCompare(b))
  const { data: keys = [] } = useQuery(keyChoicesQuery(reach, search.user))
  const keyChoices = keys.map(({ id, name, prefix }) => ({ id, label: `${name} (${prefix})` }))
  return (
    <search className={styles.filters}>
      <RangePicker range={search} onChange={onChange} />
      <Choice
        label="Model"
        all="All models"
        options={models.map((name) => ({ value: name }))}
        value={search.model}
        onChange={(model) => onChange({ model })}
      />
      {reach === 'everyone' && (
        <UserChoice
          value={search.user === undefined ? undefined : userName(search.user)}
          onChange={(user) => onChange({ user, key: undefined })}
        />
      )}
      <Choice
        label="API key"
        all="All keys"
        options={keyChoices.map(({ label }) => ({ value: label }))}
        value={search.key === undefined ? undefined : keyName(search.key)}
        onChange={(label) => onChange({ key: keyChoices.find((choice) => choice.label === label)?.id })}
      />
      <span className={styles.outcome}>
        <Select
          aria-label="Outcome"
          value={search.status ?? ''}
          onChange={(event) => onChange({ status: requestOutcomes.find((each) => each === event.target.value) })}
        >
          <option value="">All outcomes</option>
          {requestOutcomes.map((outcome) => (
            <option key={outcome} value={outcome}>
              {outcomeTexts[outcome]}
            </option>
          ))}
        </Select>
      </span>
    </search>
  )
}

function UserChoice({
  value,
  onChange,
}: {
  readonly value: string | undefined
  readonly onChange: (user: string | undefined) => void
}) {
  const [typed, setTyped] = useState('')
  const { data: users = [] } = useQuery(userSearchQuery(typed))
  return (
    <Choice
      label="User"
      all="All users"
      options={users.map(({ email }) => ({ value: email }))}
      value={value}
      onSearch={setTyped}
      onChange={(email) => onChange(users.find((user) => user.email === email)?.id)}
    />
  )
}

interface ChoiceProps {
  readonly label: string
  /** Stands for no filter. */
  readonly all: string
  readonly options: readonly ComboboxOption[]
  readonly value: string | undefined
  readonly onChange: (value: string | undefined) => void
  readonly onSearch?: (typed: string) => void
}

function Choice({ label, all, options, value, onChange, onSearch }: ChoiceProps) {
  return (
    <Combobox
      label={label}
      options={[{ value: all }, ...options]}
      value={value ?? all}
      onChange={(chosen) => onChange(chosen === all ? undefined : chosen)}
      {...(onSearch && { onSearch: (typed) => onSearch(typed === (value ?? all) ? '' : typed) })}
    />
  )
}
