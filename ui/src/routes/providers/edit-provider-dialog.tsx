/** Changes a provider. Sends only what was changed, so secrets stay as they are. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import type { Provider } from '../../api/schema.d.ts'
import { FormDialog } from '../../components/form-dialog.tsx'
import { toast } from '../../components/toast.tsx'
import { changeOf, draftOfProvider } from './provider-draft.ts'
import { ProviderFields } from './provider-fields.tsx'
import { refreshProviders } from './queries.ts'

export interface EditProviderDialogProps {
  readonly provider: Provider
  readonly onClose: () => void
}

export function EditProviderDialog({ provider, onClose }: EditProviderDialogProps) {
  const queryClient = useQueryClient()
  const [draft, setDraft] = useState(() => draftOfProvider(provider))
  async function save(): Promise<void> {
    const body = changeOf(provider, draft)
    const params = { id: provider.id }
    const { name } = await api('PATCH /admin/api/v1/providers/{id}', { params, body, of: provider })
    await refreshProviders(queryClient)
    toast(`Saved ${name}`)
    onClose()
  }
  return (
    <FormDialog
      onClose={onClose}
      title={provider.name}
      description="The change applies to the next request. Running requests are not affected."
      submitLabel="Save"
      onSubmit={save}
    >
      <ProviderFields draft={draft} onChange={setDraft} before={provider} preset={null} />
    </FormDialog>
  )
}
