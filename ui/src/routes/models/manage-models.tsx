/** Every model of the server, to edit, duplicate and delete; for administrators. */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { asApiError } from '../../api/api-error.ts'
import { allGroupsQuery, allModelsQuery, allProvidersQuery } from '../../api/queries.ts'
import type { ModelRecord } from '../../api/schema.d.ts'
import { Badge } from '../../components/badge.tsx'
import { Button, buttonClass } from '../../components/button.tsx'
import { DataTable, type Column } from '../../components/data-table.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Icon } from '../../components/icon.tsx'
import { Input } from '../../components/input.tsx'
import { Menu, MenuItem } from '../../components/menu.tsx'
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
    .filter((model) => matches([model.name, ...model.aliases, targetOf(model), groupsOf(model)], q))
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
          Add a provider and import its models there, or create one with “Create model”.
        </EmptyState>
      )}
      {models.data !== undefined && models.data.length > 0 && (
        <>
          <div className={styles.tools}>
            <Input
              type="search"
              aria-label="Search all models"
              placeholder="Search name, alias, provider, group…"
              value={q}
              onChange={(event) => search(event.target.value || undefined)}
            />
          </div>
          {found.length === 0 ? (
            <EmptyState
              icon="search"
              title={`No model matches “${q}”`}
              action={<Button onClick={() => search(undefined)}>Clear the search</Button>}
            >
              Names, aliases, providers and groups are searched.
            </EmptyState>
          ) : (
            <DataTable
              label="All models"
              columns={[...columns(targetOf, groupsOf), actionsColumn(setDeleting)]}
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
      cell: ({ id, name, active, declared, composite }) => (
        <span className={styles.name}>
          <Link to="/models/$id" params={{ id }} className={styles.link}>
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
      hideBelow: 'small',
      cell: (model) => <span title={targetOf(model)}>{targetOf(model)}</span>,
    },
    { id: 'aliases', header: 'Aliases', hideBelow: 'medium', cell: ({ aliases }) => aliases.join(', ') || '–' },
    {
      id: 'groups',
      header: 'Open to',
      hideBelow: 'medium',
      width: '18%',
      cell: (model) => (model.groups.length === 0 ? <Badge tone="warning">nobody</Badge> : groupsOf(model)),
    },
  ]
}

function actionsColumn(onDelete: (model: ModelRecord) => void): Column<ModelRecord> {
  return {
    id: 'actions',
    header: 'Actions',
    headerHidden: true,
    width: '56px',
    cell: (model) => <Actions model={model} onDelete={onDelete} />,
  }
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
    <Menu
      trigger={
        <Button variant="quiet" icon aria-label={`Actions for ${name}`}>
          <Icon name="more" />
        </Button>
      }
    >
      <MenuItem onSelect={() => void navigate({ to: '/models/$id', params: { id } })}>
        {declared ? 'Look at it' : 'Edit'}
      </MenuItem>
      <MenuItem onSelect={() => void navigate({ to: '/models/new', search: { from: id } })}>Duplicate</MenuItem>
      {!declared && (
        <MenuItem danger onSelect={() => onDelete(model)}>
          Delete…
        </MenuItem>
      )}
    </Menu>
  )
}

function matches(texts: readonly string[], search: string): boolean {
  const haystack = texts.join(' ').toLowerCase()
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => haystack.includes(word))
}
