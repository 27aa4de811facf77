/** The page of providers: add by a preset, test, import models, switch on and off. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { asApiError } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { allModelsQuery, allProvidersQuery } from '../../api/queries.ts'
import type { Provider } from '../../api/schema.d.ts'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Icon } from '../../components/icon.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { DeleteProvider } from './delete-provider.tsx'
import { SwitchOffProvider } from './switch-off-provider.tsx'
import { ProviderTable, type ProviderAction } from './provider-table.tsx'
import styles from './providers-page.module.css'
import { providerHealthQuery, refreshProviders } from './queries.ts'
import { LatePart } from '../../components/late-part.tsx'
import { lazyPart } from '../../components/lazy-part.tsx'

// These load when they are opened.
const AddProviderDialog = lazyPart(() => import('./add-provider-dialog.tsx'), 'AddProviderDialog')
const BudgetsDialog = lazyPart(() => import('../budgets/budget-panel.tsx'), 'BudgetsDialog')
const EditProviderDialog = lazyPart(() => import('./edit-provider-dialog.tsx'), 'EditProviderDialog')
const ImportModelsDialog = lazyPart(() => import('./import-models-dialog.tsx'), 'ImportModelsDialog')

type Opened =
  | { readonly what: 'add' }
  | { readonly what: 'off'; readonly provider: Provider }
  | { readonly what: ProviderAction; readonly provider: Provider }
  | null

const route = getRouteApi('/shell/providers')

export function ProvidersPage() {
  const providers = useQuery(allProvidersQuery)
  const models = useQuery(allModelsQuery)
  const health = useQuery(providerHealthQuery)
  const switching = useSwitch()
  const { add: addFirst } = route.useSearch()
  const navigate = route.useNavigate()
  const [opened, setOpened] = useState<Opened>(addFirst === undefined ? null : { what: 'add' })
  const close = (): void => {
    setOpened(null)
    void navigate({ search: {}, replace: true })
  }
  const add = (
    <Button variant="primary" onClick={() => setOpened({ what: 'add' })}>
      <Icon name="plus" />
      Add provider
    </Button>
  )
  return (
    <>
      <PageHeader title="Providers" description="Vendors and your own servers that run models." actions={add} />
      <div className={styles.notice}>
        {switching.error !== null && <ErrorNotice error={asApiError(switching.error)} />}
        {providers.error !== null && (
          <ErrorNotice error={asApiError(providers.error)} onRetry={() => void providers.refetch()} />
        )}
      </div>
      {providers.isPending && <Skeleton lines={4} label="Loading providers" />}
      {providers.data?.length === 0 && (
        <EmptyState icon="provider" title="No providers yet">
          Add one with “Add provider”: choose a vendor or a server, test the connection, and import its models.
        </EmptyState>
      )}
      {providers.data !== undefined && providers.data.length > 0 && (
        <ProviderTable
          providers={providers.data}
          models={models.data ?? null}
          health={health.data ?? []}
          onAction={(what, provider) => setOpened({ what, provider })}
          onSwitch={(provider, enabled) =>
            enabled ? switching.mutate({ provider, enabled }) : setOpened({ what: 'off', provider })
          }
        />
      )}
      <LatePart onClose={close}>
        <OpenedDialog
          opened={opened}
          preset={addFirst}
          onClose={close}
          onAdded={(provider) => setOpened({ what: 'import', provider })}
        />
      </LatePart>
    </>
  )
}

interface OpenedDialogProps {
  readonly opened: Opened
  readonly preset: string | undefined
  readonly onClose: () => void
  readonly onAdded: (provider: Provider) => void
}

function OpenedDialog({ opened, preset, onClose, onAdded }: OpenedDialogProps) {
  switch (opened?.what) {
    case undefined:
      return null
    case 'add':
      return <AddProviderDialog first={preset} onClose={onClose} onAdded={onAdded} />
    case 'edit':
      return <EditProviderDialog provider={opened.provider} onClose={onClose} />
    case 'import':
      return <ImportModelsDialog provider={opened.provider} onClose={onClose} />
    case 'budgets':
      return (
        <BudgetsDialog
          target={{ scope: 'provider', id: opened.provider.id, name: opened.provider.name }}
          onClose={onClose}
        />
      )
    case 'off':
      return <SwitchOffProvider provider={opened.provider} onClose={onClose} />
    case 'delete':
      return <DeleteProvider provider={opened.provider} onClose={onClose} />
  }
}

/** Shown at once, and reverted when the server refuses the change. */
function useSwitch() {
  const queryClient = useQueryClient()
  const { queryKey } = allProvidersQuery
  return useMutation({
    mutationFn: ({ provider, enabled }: { readonly provider: Provider; readonly enabled: boolean }) =>
      api('PATCH /admin/api/v1/providers/{id}', { params: { id: provider.id }, body: { enabled }, of: provider }),
    async onMutate({ provider, enabled }) {
      await queryClient.cancelQueries({ queryKey })
      const before = queryClient.getQueryData(queryKey)
      queryClient.setQueryData(queryKey, (all) =>
        all?.map((each) => (each.id === provider.id ? { ...each, enabled } : each)),
      )
      return before
    },
    onError: (_error, _change, before) => queryClient.setQueryData(queryKey, before),
    onSettled: () => refreshProviders(queryClient),
  })
}
