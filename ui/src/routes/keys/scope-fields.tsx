/** The scopes of a key: what it may be used for. */
import { useQuery } from '@tanstack/react-query'
import { allModelsQuery, ownModelsQuery } from '../../api/queries.ts'
import type { ApiKey, ApiKeyCreation } from '../../api/schema.d.ts'
import { CheckList } from '../../components/check-list.tsx'
import { FieldGroup } from '../../components/field.tsx'
import { Checkbox } from '../../components/input.tsx'

const areas = [
  ['inference', 'Models: chat, embeddings, generation'],
  ['documents', 'Documents: import and search'],
  ['admin', 'Administration: everything that its user can do here'],
  ['scim', 'Provisioning: users and groups by SCIM'],
] as const

type Area = (typeof areas)[number][0]

export interface Scopes {
  readonly areas: ReadonlySet<Area>
  /** Null = all models of the user, including later ones. */
  readonly models: ReadonlySet<string> | null
}

/** The default scopes: everything but administration. */
export const usualScopes: Scopes = { areas: new Set<Area>(['inference', 'documents']), models: null }

/** The scopes as request parameters. */
export function scopesOnWire(scopes: Scopes): ApiKeyCreation['scopes'] {
  return {
    areas: scopes.areas.size === areas.length ? null : [...scopes.areas],
    models: scopes.models === null ? null : [...scopes.models],
  }
}

/** The scopes of a key that exists. */
export function scopesOf({ scopes }: Pick<ApiKey, 'scopes'>): Scopes {
  return {
    areas: new Set(scopes.areas ?? areas.map(([area]) => area)),
    models: scopes.models && new Set(scopes.models),
  }
}

/** Whether the key could be used for anything. */
export function isChosen({ areas: chosen, models }: Scopes): boolean {
  return chosen.size > 0 && models?.size !== 0
}

export function ScopeFields({
  scopes,
  isOwn,
  onChange,
}: {
  readonly scopes: Scopes
  /** The key is the caller's own; otherwise every model can be named. */
  readonly isOwn: boolean
  readonly onChange: (scopes: Scopes) => void
}) {
  const own = useQuery({ ...ownModelsQuery, enabled: isOwn })
  const all = useQuery({ ...allModelsQuery, enabled: !isOwn })
  const models: readonly { readonly name: string }[] = (isOwn ? own.data : all.data) ?? []
  const limited = scopes.models
  return (
    <>
      <FieldGroup label="Scopes" {...(scopes.areas.size === 0 && { error: 'Choose at least one scope.' })}>
        {areas.map(([area, label]) => (
          <Checkbox
            key={area}
            label={label}
            checked={scopes.areas.has(area)}
            onChange={() => onChange({ ...scopes, areas: toggled(scopes.areas, area) })}
          />
        ))}
      </FieldGroup>
      <FieldGroup label="Models" {...(limited?.size === 0 && { error: 'Choose at least one model.' })}>
        <Checkbox
          label={`All models that ${isOwn ? 'you' : 'its user'} can use, now and later`}
          checked={limited === null}
          onChange={() => onChange({ ...scopes, models: limited === null ? new Set() : null })}
        />
        {limited !== null && (
          <CheckList
            label="Models"
            withAll
            options={models.map(({ name }) => ({ value: name, label: name }))}
            chosen={limited}
            onChange={(chosen) => onChange({ ...scopes, models: chosen })}
          />
        )}
      </FieldGroup>
    </>
  )
}

function toggled<Value>(values: ReadonlySet<Value>, value: Value): ReadonlySet<Value> {
  const next = new Set(values)
  if (!next.delete(value)) next.add(value)
  return next
}
