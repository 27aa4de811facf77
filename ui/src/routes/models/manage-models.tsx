/** The table of all models, for administrators: edit, duplicate, delete. */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { asApiError } from '../../api/api-error.ts'
import { allGroupsQuery, allModelsQuery, allProvidersQuery } from '../../api/queries.ts'
import type { ModelRecord } from '../../api/schema.d.ts'
import { Badge } from '../../components/badge.tsx'
import { buttonClass } from '../../components/button.tsx'
import { DataTable, type Column } from '../../components/data-table.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { FilterForm, TextFilter } from '../../components/filter-form.tsx'
import { hasEveryWord } from '../../components/has-every-word.ts'
import { MenuItem } from '../../components/menu.tsx'
import { menuColumn, RowMenu } from '../../components/row-menu.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { DeleteModel } from '../model/delete-model.tsx'
import styles from './manage-models.module.css'

const route = getRouteApi('/shell/models')

export function ManageModels() {
  const { q = '' } = route.useSearch()
  const navigate = route.useNavigate()
  const models = useQuery(allModelsQuery)
  const { data: providers = [] } = useQuery(allProvidersQuery)
  const { data: groups = [] } = useQuery(allGroupsQuery)
  const [deleting, setDeleting] = useState<ModelRecord | null>(null)
  const providerNames = new Map(providers.map(({ id, name }) => [id, name]))
  const groupNames = new Map(groups.map(({ id, name }) => [id, name]))
  const targetOf = (model: ModelRecord): string =>
    model.composite === null
      ? `${providerNames.get(model.provider_id ?? '') ?? '…'} · ${model.upstream_name ?? ''}`
      : `${model.composite.components.length} components, ${model.composite.strategy}`
  const groupsOf = (model: ModelRecord): string => model.groups.map((id) => groupNames.get(id) ?? '…').join(', ')
  const found = (models.data ?? [])
    .filter((model) => hasEveryWord([model.name, ...model.aliases, targetOf(model), groupsOf(model)], q))
    .toSorted((a, b) => a.name.localeCompare(b.name))
  const search = (next: string | undefined): void =>
    void navigate({ search: (before) => ({ ...before, q: next }), replace: true })
  return (
    <>
      {models.error !== null && <ErrorNotice error={asApiError(models.error)} onRetry={() => void models.refetch()} />}
      {models.isPending && <Skeleton lines={6} label="Loading models" />}
      {models.data?.length === 0 && (
        <EmptyState
          icon="models"
          title="No models yet"
          action={
            <Link to="/providers" className={buttonClass()}>
              Go to the providers
            </Link>
          }
        >
          Add a provider and import its models, or create a model with “Create model”.
        </EmptyState>
      )}
      {models.data !== undefined && models.data.length > 0 && (
        <>
          <FilterForm
            label="Filter all models"
            onClear={q === '' ? null : () => search(undefined)}
            status={`${found.length} of ${models.data.length} models`}
          >
            <TextFilter
              label="Search all models"
              placeholder="Search name, alias, provider, group…"
              value={q}
              onChange={search}
            />
          </FilterForm>
          {found.length === 0 ? (
            <EmptyState icon="search" title={`No model matches “${q}”`}>
              The search covers names, aliases, providers and groups.
            </EmptyState>
          ) : (
            <DataTable
              label="All models"
              columns={[
                ...columns(targetOf, groupsOf),
                menuColumn((model: ModelRecord) => <Actions model={model} onDelete={setDeleting} />),
              ]}
              rows={found}
              rowId={({ id }) => id}
              rowName={({ name }) => name}
              onOpen={({ id }) => void navigate({ to: '/models/$id', params: { id } })}
            />
          )}
        </>
      )}
      <DeleteModel model={deleting} onClose={() => setDeleting(null)} />
    </>
  )
}

type TextOf = (model: ModelRecord) => string

function columns(targetOf: TextOf, groupsOf: TextOf): readonly Column<ModelRecord>[] {
  return [
    {
      id: 'name',
      header: 'Name',
      min: 240,
      grow: 2,
      sortBy: ({ name }) => name,
      cell: ({ id, name, active, declared, composite }) => (
        <span className={styles.name}>
          <Link to="/models/$id" params={{ id }} className={styles.link} title={name} data-name>
            {name}
          </Link>
          {composite !== null && <Badge tone="accent">composite</Badge>}
          {!active && <Badge tone="warning">inactive</Badge>}
          {declared && <Badge>declared</Badge>}
        </span>
      ),
    },
    {
      id: 'target',
      header: 'Runs on',
      min: 200,
      grow: 2,
      priority: 1,
      sortBy: targetOf,
      cell: (model) => <span title={targetOf(model)}>{targetOf(model)}</span>,
    },
    {
      id: 'aliases',
      header: 'Aliases',
      min: 120,
      grow: 1,
      priority: 3,
      cell: ({ aliases }) => aliases.join(', ') || '–',
    },
    {
      id: 'groups',
      header: 'Open to',
      min: 120,
      grow: 1,
      priority: 2,
      sortBy: groupsOf,
      cell: (model) => (model.groups.length === 0 ? <Badge tone="warning">no groups</Badge> : groupsOf(model)),
    },
  ]
}

function Actions({
  model,
  onDelete,
}: {
  readonly model: ModelRecord
  readonly onDelete: (model: ModelRecord) => void
}) {
  const navigate = route.useNavigate()
  const { id, name, declared } = model
  return (
    <RowMenu name={name}>
      <MenuItem onSelect={() => void navigate({ to: '/models/$id', params: { id } })}>
        {declared ? 'View' : 'Edit'}
      </MenuItem>
      <MenuItem onSelect={() => void navigate({ to: '/models/new', search: { from: id } })}>Duplicate</MenuItem>
      {!declared && (
        <MenuItem danger onSelect={() => onDelete(model)}>
          Delete…
        </MenuItem>
      )}
    </RowMenu>
  )
}
