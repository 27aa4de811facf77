/** Deletes a provider with its models, after naming them. */
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
          ? 'No model is served by it. There is no way to get its credential back.'
          : `Requests to these models are refused at once. There is no way to get them or the credential back. Usage records stay.`
      }
      names={[`Provider ${provider.name}`, ...models.map(({ name }) => `Model ${name}`)]}
      confirm={models.length === 0 ? 'Delete provider' : `Delete provider and ${count}`}
      onConfirm={async () => {
        // Models that came since are named by the server's refusal.
        const cascade = models.length > 0 ? 'true' : 'false'
        await api('DELETE /admin/api/v1/providers/{id}', { params: { id: provider.id }, query: { cascade } })
        await refreshProviders(queryClient)
        toast(`Deleted ${provider.name}`)
      }}
    />
  )
}
