/** Creates a vector store, or changes one: its name, and after how many days without use it expires. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { resource } from '../../api/queries.ts'
import type { VectorStore } from '../../api/schema.d.ts'
import { FormDialog } from '../../components/form-dialog.tsx'
import { NumberField, TextField } from '../../components/text-field.tsx'
import { toast } from '../../components/toast.tsx'

export interface StoreDialogProps {
  /** The store to change; null creates one. */
  readonly store: VectorStore | null
  readonly onClose: () => void
  readonly onSaved: (store: VectorStore) => void
}

export function StoreDialog({ store, onClose, onSaved }: StoreDialogProps) {
  const queryClient = useQueryClient()
  const [name, setName] = useState(store?.name ?? '')
  const [days, setDays] = useState(store?.expires_after?.days.toString() ?? '')
  async function save(): Promise<void> {
    const body = {
      name: name.trim(),
      expires_after: days === '' ? null : { anchor: 'last_active_at' as const, days: Number(days) },
    }
    const saved =
      store === null
        ? await api('POST /ai/v1/vector_stores', { body })
        : await api('POST /ai/v1/vector_stores/{id}', { params: { id: store.id }, body })
    await queryClient.invalidateQueries({ queryKey: resource.vectorStores })
    toast(store === null ? `Created ${saved.name ?? 'the vector store'}` : 'Saved the vector store')
    onSaved(saved)
  }
  return (
    <FormDialog
      title={store === null ? 'New vector store' : 'Edit the vector store'}
      submitLabel={store === null ? 'Create' : 'Save'}
      onClose={onClose}
      onSubmit={save}
    >
      <TextField label="Name" param="name" required maxLength={256} value={name} onChange={setName} />
      <NumberField
        label="Expires after (days, optional)"
        param="expires_after.days"
        min={1}
        max={365}
        value={days}
        hint="Counted from the last search or the last file that was added. An expired store loses its files."
        onChange={setDays}
      />
    </FormDialog>
  )
}
