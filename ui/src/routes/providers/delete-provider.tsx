/** Deletes a provider with its models, after listing them. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { allModelsQuery } from '../../api/queries.ts'
import type { Provider } from '../../api/schema.d.ts'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { countText } from '../../components/format.ts'
import { toast } from '../../components/toast.tsx'
import { refreshProviders } from './queries.ts'

export function DeleteProvider({ provider, onClose }: { readonly provider: Provider; readonly onClose: () => void }) {
  const queryClient = useQueryClient()
  const { data } = useQuery(allModelsQuery)
  const models = (data ?? []).filter((model) => model.provider_id === provider.id)
  const count = countText(models.length, 'model')
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Delete the provider ${provider.name}?`}
      consequence={
        models.length === 0
          ? 'It has no models. Its credential is deleted, too. This cannot be undone.'
          : 'Requests to these models are refused from now on. The credential is deleted, too. This cannot be undone. Usage records are kept.'
      }
      names={[`Provider ${provider.name}`, ...models.map(({ name }) => `Model ${name}`)]}
      confirm={models.length === 0 ? 'Delete provider' : `Delete provider and ${count}`}
      onConfirm={async () => {
        // The server refuses when there are new models, and lists them.
        const cascade = models.length > 0 ? 'true' : 'false'
        await api('DELETE /admin/api/v1/providers/{id}', {
          params: { id: provider.id },
          query: { cascade },
          of: provider,
        })
        await refreshProviders(queryClient)
        toast(`Deleted ${provider.name}`)
      }}
    />
  )
}
