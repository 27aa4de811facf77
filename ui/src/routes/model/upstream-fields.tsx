/** The provider of a model, and the model's name there. */
import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { Link } from '@tanstack/react-router'
import { allProvidersQuery } from '../../api/queries.ts'
import { Field } from '../../components/field.tsx'
import { Input, Select } from '../../components/input.tsx'
import { Panel } from '../../components/panel.tsx'
import type { FieldsProps } from './fields-props.ts'
import styles from './model-form.module.css'
import { offeredQuery } from './queries.ts'

export function UpstreamFields({ draft, change }: FieldsProps) {
  const listId = useId()
  const { data: providers = [], isPending } = useQuery(allProvidersQuery)
  const offered = useQuery(offeredQuery(draft.providerId))
  return (
    <Panel title="Upstream">
      <div className={styles.fields}>
        <Field label="Provider" param="provider_id">
          <Select required value={draft.providerId} onChange={(event) => change({ providerId: event.target.value })}>
            <option value="">Choose a provider…</option>
            {providers.map(({ id, name, enabled }) => (
              <option key={id} value={id}>
                {enabled ? name : `${name} (switched off)`}
              </option>
            ))}
          </Select>
        </Field>
        {!isPending && providers.length === 0 && (
          <p className={styles.note}>
            There is no provider yet. <Link to="/providers">Add one first.</Link>
          </p>
        )}
        <Field
          label="The provider’s name of the model"
          hint={offeredText(offered.data, draft.providerId !== '' && offered.isPending)}
          param="upstream_name"
        >
          <Input
            list={listId}
            value={draft.upstreamName}
            placeholder={draft.name.trim() || 'as the model’s name'}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => change({ upstreamName: event.target.value })}
          />
        </Field>
        <datalist id={listId}>
          {offered.data?.models.map(({ id }) => (
            <option key={id} value={id} />
          ))}
        </datalist>
      </div>
    </Panel>
  )
}

interface Offered {
  readonly ok: boolean
  readonly models: readonly unknown[]
  readonly error?: string | undefined
}

function offeredText(offered: Offered | undefined, isAsking: boolean): string {
  if (isAsking) return 'Loading the provider’s models…'
  if (offered === undefined) return 'Empty: the same as the name above.'
  if (!offered.ok)
    return `The provider’s models cannot be listed: ${offered.error ?? 'it did not answer.'} Type the name.`
  return `${offered.models.length} suggestions from the provider. Empty: the same as the name above.`
}
