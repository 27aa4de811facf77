/** Creates a group, or changes its name and description. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { asApiError } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { resource } from '../../api/queries.ts'
import type { Group } from '../../api/schema.d.ts'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Field } from '../../components/field.tsx'
import { Input, Textarea } from '../../components/input.tsx'
import { toast } from '../../components/toast.tsx'
import styles from './group-dialog.module.css'

export interface GroupDialogProps {
  /** Null makes a new one. */
  readonly group: Group | null
  readonly onClose: () => void
  readonly onCreated?: (id: string) => void
}

export function GroupDialog({ group, onClose, onCreated }: GroupDialogProps) {
  const formId = useId()
  const queryClient = useQueryClient()
  const [name, setName] = useState(group?.name ?? '')
  const [description, setDescription] = useState(group?.description ?? '')
  const saving = useMutation({
    mutationFn() {
      const body = { name: name.trim(), description: description.trim() }
      return group === null
        ? api('POST /admin/api/v1/groups', { body })
        : api('PATCH /admin/api/v1/groups/{id}', { params: { id: group.id }, body })
    },
    async onSuccess(saved) {
      await queryClient.invalidateQueries({ queryKey: resource.groups })
      await queryClient.invalidateQueries({ queryKey: resource.session })
      toast(group === null ? `Created the group ${saved.name}` : `Saved the group ${saved.name}`)
      onClose()
      if (group === null) onCreated?.(saved.id)
    },
  })
  const error = saving.error === null ? null : asApiError(saving.error)
  const errorOf = (param: string): string | null => (error?.param === param ? error.message : null)
  return (
    <Dialog
      open
      onClose={onClose}
      title={group === null ? 'Create a group' : `Rename ${group.name}`}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" busy={saving.isPending}>
            {group === null ? 'Create' : 'Save'}
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
        {error !== null && error.param !== 'name' && error.param !== 'description' && <ErrorNotice error={error} />}
        <Field label="Name" error={errorOf('name')}>
          <Input
            value={name}
            required
            maxLength={200}
            autoComplete="off"
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
        <Field label="Description (optional)" error={errorOf('description')}>
          <Textarea
            rows={2}
            value={description}
            maxLength={2000}
            onChange={(event) => setDescription(event.target.value)}
          />
        </Field>
      </form>
    </Dialog>
  )
}
