/** The table of providers: address, models, health, and whether each is on. */
import type { ModelRecord, Provider, ProviderHealth } from '../../api/schema.d.ts'
import { Badge } from '../../components/badge.tsx'
import { DataTable, type Column } from '../../components/data-table.tsx'
import { MenuItem, MenuText } from '../../components/menu.tsx'
import { menuColumn, RowMenu } from '../../components/row-menu.tsx'
import { RowName } from '../../components/row-name.tsx'
import { Switch } from '../../components/switch.tsx'
import { HealthBadge } from './provider-health.tsx'

export type ProviderAction = 'import' | 'budgets' | 'edit' | 'delete'

export interface ProviderTableProps {
  readonly providers: readonly Provider[]
  /** Null while they load. */
  readonly models: readonly ModelRecord[] | null
  readonly health: readonly ProviderHealth[]
  readonly onAction: (action: ProviderAction, provider: Provider) => void
  readonly onSwitch: (provider: Provider, enabled: boolean) => void
}

export function ProviderTable(props: ProviderTableProps) {
  const { providers, onAction } = props
  return (
    <DataTable
      label="Providers"
      columns={columnsOf(props)}
      rows={providers}
      rowId={({ id }) => id}
      rowName={({ name }) => name}
      onOpen={(provider) => onAction(provider.declared ? 'import' : 'edit', provider)}
    />
  )
}

function columnsOf({ models, health, onAction, onSwitch }: ProviderTableProps): readonly Column<Provider>[] {
  const countOf = (id: string): number | null => models?.filter((model) => model.provider_id === id).length ?? null
  return [
    {
      id: 'name',
      header: 'Name',
      min: 200,
      narrow: 100,
      grow: 2,
      sortBy: ({ name }) => name,
      cell: (provider) => (
        <RowName
          name={provider.name}
          onOpen={() => onAction(provider.declared ? 'import' : 'edit', provider)}
          badge={provider.declared && <Badge tone="accent">declared</Badge>}
        />
      ),
    },
    {
      id: 'kind',
      header: 'Kind',
      min: 104,
      priority: 3,
      sortBy: ({ kind }) => kind,
      cell: ({ kind }) => kind,
    },
    {
      id: 'address',
      header: 'Address',
      min: 220,
      grow: 3,
      priority: 2,
      sortBy: ({ base_url: url }) => url,
      cell: (provider) => <Address provider={provider} />,
    },
    {
      id: 'models',
      header: 'Models',
      min: 80,
      align: 'end',
      priority: 1,
      sortBy: ({ id }) => countOf(id),
      cell: ({ id }) => countOf(id) ?? '…',
    },
    {
      id: 'health',
      header: 'Health',
      min: 132,
      narrow: 110,
      cell: ({ id, enabled }) => (
        <HealthBadge enabled={enabled} health={health.find(({ provider_id: provider }) => provider === id)} />
      ),
    },
    {
      id: 'enabled',
      header: 'On',
      min: 60,
      cell: (provider) => (
        <Switch
          label={`${provider.name} is on`}
          labelHidden
          checked={provider.enabled}
          disabled={provider.declared}
          onChange={(enabled) => onSwitch(provider, enabled)}
        />
      ),
    },
    menuColumn((provider) => <ProviderMenu provider={provider} onAction={onAction} />),
  ]
}

function Address({ provider: { base_url: url, servers } }: { readonly provider: Provider }) {
  if (url === '') return '–'
  const more = servers?.urls ?? []
  return (
    <code title={[url, ...more].join('\n')}>
      {url}
      {more.length > 0 && ` and ${more.length} more`}
    </code>
  )
}

interface ProviderMenuProps {
  readonly provider: Provider
  readonly onAction: ProviderTableProps['onAction']
}

function ProviderMenu({ provider, onAction }: ProviderMenuProps) {
  return (
    <RowMenu name={provider.name}>
      {provider.declared && <MenuText>The configuration file declares it. Change or delete it there.</MenuText>}
      <MenuItem onSelect={() => onAction('import', provider)}>Test and import models…</MenuItem>
      <MenuItem onSelect={() => onAction('budgets', provider)}>Budgets and rates…</MenuItem>
      {!provider.declared && (
        <>
          <MenuItem onSelect={() => onAction('edit', provider)}>Edit…</MenuItem>
          <MenuItem danger onSelect={() => onAction('delete', provider)}>
            Delete…
          </MenuItem>
        </>
      )}
    </RowMenu>
  )
}
