/** Changes a provider. What is not touched is not sent, so that secrets stay as they are. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { asApiError } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import type { Provider } from '../../api/schema.d.ts'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { toast } from '../../components/toast.tsx'
import { changeOf, draftOfProvider } from './provider-draft.ts'
import { ProviderFields, providerParams } from './provider-fields.tsx'
import styles from './provider-fields.module.css'
import { refreshProviders } from './queries.ts'

export function EditProviderDialog({
  provider,
  onClose,
}: {
  readonly provider: Provider
  readonly onClose: () => void
}) {
  const formId = useId()
  const queryClient = useQueryClient()
  const [draft, setDraft] = useState(() => draftOfProvider(provider))
  const saving = useMutation({
    mutationFn: async () =>
      api('PATCH /admin/api/v1/providers/{id}', { params: { id: provider.id }, body: changeOf(provider, draft) }),
    async onSuccess({ name }) {
      await refreshProviders(queryClient)
      toast(`Saved ${name}`)
      onClose()
    },
    gcTime: 0,
  })
  const error = saving.error === null ? null : asApiError(saving.error)
  return (
    <Dialog
      open
      onClose={onClose}
      title={provider.name}
      description="Running requests go on as they began; the next one goes by what is saved here."
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" busy={saving.isPending}>
            Save
          </Button>
        </>
      }
    >
      <form
        id={formId}
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault()
          saving.mutate()
        }}
      >
        {error !== null && !providerParams.includes(error.param ?? '') && <ErrorNotice error={error} />}
        <ProviderFields draft={draft} onChange={setDraft} error={error} before={provider} preset={null} />
      </form>
    </Dialog>
  )
}
