/** Sets the price of a model from a moment on. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { resource } from '../../api/queries.ts'
import type { ModelRecord, Price } from '../../api/schema.d.ts'
import { FormDialog } from '../../components/form-dialog.tsx'
import { TextField } from '../../components/text-field.tsx'
import { toast } from '../../components/toast.tsx'
import { draftOf, newPriceOf, problemsOf, type PriceDraft } from './price-draft.ts'
import { RateFields, TierFields } from './price-fields.tsx'

export interface PriceDialogProps {
  readonly model: ModelRecord
  /** The price in effect. */
  readonly current: Price | null
  readonly currency: string
  readonly onClose: () => void
}

export function PriceDialog({ model, current, currency, onClose }: PriceDialogProps) {
  const queryClient = useQueryClient()
  const [draft, setDraft] = useState<PriceDraft>(() => draftOf(current))
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map())
  const change = (fields: Partial<PriceDraft>): void => setDraft({ ...draft, ...fields })
  async function save(): Promise<void> {
    const found = problemsOf(draft)
    setProblems(found)
    if (found.size > 0) return
    await api('POST /admin/api/v1/models/{id}/prices', { params: { id: model.id }, body: newPriceOf(draft) })
    await queryClient.invalidateQueries({ queryKey: resource.prices })
    toast(`Set the price of ${model.name}`)
    onClose()
  }
  return (
    <FormDialog
      onClose={onClose}
      title={`Price of ${model.name}`}
      description={`Decimals in ${currency}. Kinds of tokens that are left empty have the rate of the input or output; without any rate it costs nothing.`}
      size="large"
      submitLabel="Set price"
      onSubmit={save}
    >
      <RateFields param="rates" rates={draft.rates} problems={problems} onChange={(rates) => change({ rates })} />
      <TierFields tiers={draft.tiers} problems={problems} onChange={(tiers) => change({ tiers })} />
      <TextField
        type="datetime-local"
        label="Valid from"
        param="valid_from"
        hint="Now when empty. Requests that have ended keep their cost."
        value={draft.from}
        onChange={(from) => change({ from })}
      />
      <TextField
        label="Note (optional)"
        param="note"
        hint="Where the price comes from."
        maxLength={2000}
        value={draft.note}
        onChange={(note) => change({ note })}
      />
    </FormDialog>
  )
}
