/** Adds a provider: choose a preset, enter the credential, test, add. The next step imports its models. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import type { Provider, ProviderPreset, ProviderTest } from '../../api/schema.d.ts'
import { Dialog } from '../../components/dialog.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { toast } from '../../components/toast.tsx'
import { PresetChoice } from './preset-choice.tsx'
import { creationOf, draftOfPreset } from './provider-draft.ts'
import { ProviderFields } from './provider-fields.tsx'
import { presetsQuery, refreshProviders } from './queries.ts'
import { TestResult } from './test-result.tsx'

interface AddedProps {
  readonly onClose: () => void
  readonly onAdded: (provider: Provider) => void
}

export interface AddProviderDialogProps extends AddedProps {
  /** The name of the preset to begin with; the first step asks for it when no preset has this name. */
  readonly first?: string | undefined
}

export function AddProviderDialog({ first, onClose, onAdded }: AddProviderDialogProps) {
  const known = useQuery(presetsQuery).data?.find(({ name }) => name === first)
  const [chosen, setPreset] = useState<ProviderPreset | null | 'none' | undefined>(undefined)
  const preset = chosen === 'none' ? undefined : (chosen ?? (chosen === null ? null : known))
  if (preset !== undefined) {
    return <AddForm preset={preset} onBack={() => setPreset('none')} onClose={onClose} onAdded={onAdded} />
  }
  return (
    <Dialog
      open
      size="large"
      onClose={onClose}
      title="Add a provider"
      description="Choose a provider. You can change every field in the next step."
    >
      <PresetChoice onChoose={setPreset} />
    </Dialog>
  )
}

interface AddFormProps extends AddedProps {
  readonly preset: ProviderPreset | null
  readonly onBack: () => void
}

function AddForm({ preset, onBack, onClose, onAdded }: AddFormProps) {
  const queryClient = useQueryClient()
  const [draft, setDraft] = useState(() => draftOfPreset(preset))
  const [result, setResult] = useState<ProviderTest | null>(null)
  async function test(): Promise<void> {
    setResult(null)
    setResult(await api('POST /admin/api/v1/providers/test', { body: creationOf(draft) }))
  }
  async function add(): Promise<void> {
    setResult(null)
    const provider = await api('POST /admin/api/v1/providers', { body: creationOf(draft) })
    await refreshProviders(queryClient)
    toast(`Added ${provider.name}`)
    onAdded(provider)
  }
  return (
    <FormDialog
      onClose={onClose}
      onBack={onBack}
      title={preset === null ? 'Add a provider' : `Add ${preset.title}`}
      secondary={{ label: 'Test connection', run: test }}
      submitLabel="Add"
      onSubmit={add}
    >
      <ProviderFields draft={draft} onChange={setDraft} before={null} preset={preset} />
      {result !== null && <TestResult test={result} />}
    </FormDialog>
  )
}
