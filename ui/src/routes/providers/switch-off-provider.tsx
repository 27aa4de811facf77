/** Switches a provider off, after listing the models that stop answering. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { allModelsQuery } from '../../api/queries.ts'
import type { Provider } from '../../api/schema.d.ts'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { toast } from '../../components/toast.tsx'
import { refreshProviders } from './queries.ts'

export interface SwitchOffProviderProps {
  readonly provider: Provider
  readonly onClose: () => void
}

export function SwitchOffProvider({ provider, onClose }: SwitchOffProviderProps) {
  const { id, name } = provider
  const queryClient = useQueryClient()
  const { data = [] } = useQuery(allModelsQuery)
  const models = data.filter((model) => model.provider_id === id)
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Switch ${name} off?`}
      consequence={
        models.length === 0
          ? 'It has no models. Nothing is deleted.'
          : 'Nothing is deleted. Until you switch it on again, requests to these models are refused; composites use their other components:'
      }
      names={models.map((model) => `Model ${model.name}`)}
      confirm="Switch off"
      onConfirm={async () => {
        await api('PATCH /admin/api/v1/providers/{id}', { params: { id }, body: { enabled: false }, of: provider })
        await refreshProviders(queryClient)
        toast(`Switched ${name} off`)
      }}
    />
  )
}
