/** Filters documents by their metadata: a key, then one of its values, with how many documents have it. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { countText } from '../../components/format.ts'
import { SelectFilter } from '../../components/filter-form.tsx'
import { Icon } from '../../components/icon.tsx'
import { metadataQuery, type MetadataValue } from './metadata-queries.ts'
import styles from './metadata-filter.module.css'

export interface MetadataFilterProps {
  readonly value: Readonly<Record<string, MetadataValue>>
  readonly category: string | undefined
  readonly onChange: (value: Readonly<Record<string, MetadataValue>> | undefined) => void
}

export function MetadataFilter({ value, category, onChange }: MetadataFilterProps) {
  const [key, setKey] = useState<string | undefined>(undefined)
  const { data } = useQuery(metadataQuery({ key, category, chosen: value }))
  const keys = data?.keys.filter((each) => !(each in value)) ?? []
  const facets = (key !== undefined && data?.facets[key]) || []
  return (
    <>
      {Object.entries(value).map(([name, wanted]) => (
        <button
          key={name}
          type="button"
          className={styles.chosen}
          aria-label={`Remove the filter ${name}: ${shownValue(wanted)}`}
          onClick={() => {
            const { [name]: _removed, ...rest } = value
            onChange(Object.keys(rest).length === 0 ? undefined : rest)
          }}
        >
          {name}: {shownValue(wanted)}
          <Icon name="close" />
        </button>
      ))}
      {(keys.length > 0 || key !== undefined) && (
        <SelectFilter
          label="Metadata"
          all="Metadata…"
          options={keys.map((each) => [each, each])}
          value={key}
          onChange={setKey}
        />
      )}
      {key !== undefined && (
        <SelectFilter
          label={`Value of ${key}`}
          all={data === undefined ? 'Loading…' : `Any ${key}`}
          options={facets.map(({ value: each, documents }) => [
            JSON.stringify(each),
            `${shownValue(each)} (${countText(documents, 'document')})`,
          ])}
          value={undefined}
          onChange={(text) => {
            if (text === undefined) return
            setKey(undefined)
            onChange({ ...value, [key]: JSON.parse(text) as MetadataValue })
          }}
        />
      )}
    </>
  )
}

/** A value as people read it. */
export function shownValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
