/** Sets the price of a model from a moment on. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { PriceKind } from '#pricing/price.ts'
import { api } from '../../api/client.ts'
import { resource } from '../../api/queries.ts'
import type { ModelRecord, Price } from '../../api/schema.d.ts'
import { FieldGroup } from '../../components/field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { Switch } from '../../components/switch.tsx'
import { TextField } from '../../components/text-field.tsx'
import { toast } from '../../components/toast.tsx'
import { draftOf, kindGroups, kindNames, newPriceOf, wrongKinds, type PriceDraft } from './price-draft.ts'
import styles from './price-panel.module.css'

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
  const [wrong, setWrong] = useState<ReadonlySet<PriceKind>>(new Set())
  const change = (fields: Partial<PriceDraft>): void => setDraft({ ...draft, ...fields })
  async function save(): Promise<void> {
    const found = wrongKinds(draft)
    setWrong(found)
    if (found.size > 0) return
    await api('POST /admin/api/v1/models/{id}/prices', { params: { id: model.id }, body: newPriceOf(draft, current) })
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
      {kindGroups.map(([unit, kinds]) => (
        <FieldGroup key={unit} label={`For ${unit.toLowerCase()}`} param="rates">
          <div className={styles.fields}>
            {kinds.map((kind) => (
              <TextField
                key={kind}
                label={kindNames[kind]}
                inputMode="decimal"
                error={wrong.has(kind) ? 'Enter an amount such as 2.50.' : null}
                value={draft.rates[kind] ?? ''}
                onChange={(text) => change({ rates: { ...draft.rates, [kind]: text } })}
              />
            ))}
          </div>
        </FieldGroup>
      ))}
      {current !== null && current.tiers.length > 0 && (
        <Switch
          label="Keep the other rates for long inputs"
          checked={draft.keepTiers}
          onChange={(keepTiers) => change({ keepTiers })}
        />
      )}
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
