/** Adds a provider: choose a preset, give the credential, test, add. Its models are picked in the next step. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { asApiError } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import type { Provider, ProviderPreset } from '../../api/schema.d.ts'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { toast } from '../../components/toast.tsx'
import { PresetChoice } from './preset-choice.tsx'
import { creationOf, draftOfPreset } from './provider-draft.ts'
import { ProviderFields, providerParams } from './provider-fields.tsx'
import styles from './provider-fields.module.css'
import { refreshProviders } from './queries.ts'
import { TestResult } from './test-result.tsx'

export interface AddProviderDialogProps {
  readonly onClose: () => void
  readonly onAdded: (provider: Provider) => void
}

export function AddProviderDialog({ onClose, onAdded }: AddProviderDialogProps) {
  const [preset, setPreset] = useState<ProviderPreset | null | undefined>(undefined)
  if (preset !== undefined) {
    return <AddForm preset={preset} onBack={() => setPreset(undefined)} onClose={onClose} onAdded={onAdded} />
  }
  return (
    <Dialog
      open
      size="large"
      onClose={onClose}
      title="Add a provider"
      description="Choose what it is. Everything can be changed in the next step."
    >
      <PresetChoice onChoose={setPreset} />
    </Dialog>
  )
}

interface AddFormProps extends AddProviderDialogProps {
  readonly preset: ProviderPreset | null
  readonly onBack: () => void
}

function AddForm({ preset, onBack, onClose, onAdded }: AddFormProps) {
  const formId = useId()
  const queryClient = useQueryClient()
  const [draft, setDraft] = useState(() => draftOfPreset(preset))
  const testing = useMutation({
    mutationFn: async () => api('POST /admin/api/v1/providers/test', { body: creationOf(draft) }),
  })
  const adding = useMutation({
    mutationFn: async () => api('POST /admin/api/v1/providers', { body: creationOf(draft) }),
    async onSuccess(provider) {
      await refreshProviders(queryClient)
      toast(`Added ${provider.name}`)
      onAdded(provider)
    },
    // The credential is kept no longer than it is needed.
    gcTime: 0,
  })
  const failure = adding.error ?? testing.error
  const error = failure === null ? null : asApiError(failure)
  return (
    <Dialog
      open
      onClose={onClose}
      title={preset === null ? 'Add a provider' : `Add ${preset.title}`}
      actions={
        <>
          <Button className={styles.back ?? ''} onClick={onBack}>
            Back
          </Button>
          <Button
            busy={testing.isPending}
            onClick={() => {
              adding.reset()
              testing.mutate()
            }}
          >
            Test connection
          </Button>
          <Button type="submit" form={formId} variant="primary" busy={adding.isPending}>
            Add
          </Button>
        </>
      }
    >
      <form
        id={formId}
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault()
          testing.reset()
          adding.mutate()
        }}
      >
        {error !== null && !providerParams.includes(error.param ?? '') && <ErrorNotice error={error} />}
        <ProviderFields draft={draft} onChange={setDraft} error={error} before={null} preset={preset} />
        {testing.data !== undefined && <TestResult test={testing.data} />}
      </form>
    </Dialog>
  )
}
