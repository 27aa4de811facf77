/** Creates a group, or changes its name, its description and its permission. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { resource } from '../../api/queries.ts'
import type { Group } from '../../api/schema.d.ts'
import { FieldGroup } from '../../components/field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { Switch } from '../../components/switch.tsx'
import { NameFields } from '../../components/text-field.tsx'
import { toast } from '../../components/toast.tsx'

const sharing = 'documents.share' as const

export interface GroupDialogProps {
  /** Null creates a group. */
  readonly group: Group | null
  readonly onClose: () => void
  readonly onCreated?: (id: string) => void
}

export function GroupDialog({ group, onClose, onCreated }: GroupDialogProps) {
  const queryClient = useQueryClient()
  const [fields, setFields] = useState({ name: group?.name ?? '', description: group?.description ?? '' })
  const [mayShare, setMayShare] = useState(group?.permissions.includes(sharing) ?? false)
  async function save(): Promise<void> {
    const permissions = mayShare ? [sharing] : []
    const body = { name: fields.name.trim(), description: fields.description.trim(), permissions }
    const saved = await (group === null
      ? api('POST /admin/api/v1/groups', { body })
      : api('PATCH /admin/api/v1/groups/{id}', { params: { id: group.id }, body, of: group }))
    await queryClient.invalidateQueries({ queryKey: resource.groups })
    await queryClient.invalidateQueries({ queryKey: resource.session })
    toast(group === null ? `Created the group ${saved.name}` : `Saved the group ${saved.name}`)
    onClose()
    if (group === null) onCreated?.(saved.id)
  }
  return (
    <FormDialog
      onClose={onClose}
      title={group === null ? 'Create a group' : `Edit ${group.name}`}
      submitLabel={group === null ? 'Create' : 'Save'}
      onSubmit={save}
    >
      <NameFields {...fields} onChange={(change) => setFields({ ...fields, ...change })} />
      <FieldGroup
        label="Permissions"
        hint="Members may make other users, other groups and everyone owners of the documents that they import."
      >
        <Switch label="May share documents" checked={mayShare} onChange={setMayShare} />
      </FieldGroup>
    </FormDialog>
  )
}
