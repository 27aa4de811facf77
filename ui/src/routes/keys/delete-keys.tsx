/** Deletes API keys, after naming them. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { keyName } from '../../api/names.ts'
import { resource, type KeyOwner } from '../../api/queries.ts'
import type { ApiKey } from '../../api/schema.d.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { countText } from '../../components/format.ts'
import { Icon } from '../../components/icon.tsx'
import { toast } from '../../components/toast.tsx'
import styles from './delete-keys.module.css'

export interface DeleteKeysProps {
  readonly keys: readonly ApiKey[]
  readonly owner: KeyOwner
  readonly onDeleted: () => void
  /** The question is shown at once, without the button that leads to it. */
  readonly asked?: boolean
  readonly onClose?: () => void
}

/** The maximum number of keys that one request may delete. */
const keysPerRequestMax = 1000

/** Rows disappear only after the server has answered: from then on, it refuses requests with these keys. */
export function DeleteKeys({ keys, owner, onDeleted, asked = false, onClose }: DeleteKeysProps) {
  const [asking, setAsking] = useState(asked)
  const queryClient = useQueryClient()
  const what = countText(keys.length, 'API key')
  async function deleteAll(): Promise<void> {
    const ids = keys.map(({ id }) => id)
    try {
      for (let first = 0; first < ids.length; first += keysPerRequestMax) {
        const body = { ids: ids.slice(first, first + keysPerRequestMax) }
        await (owner === 'self'
          ? api('POST /admin/api/v1/me/keys/delete', { body })
          : api('POST /admin/api/v1/keys/delete', { body }))
      }
    } finally {
      await queryClient.invalidateQueries({ queryKey: resource.keys })
    }
    toast(`Deleted ${what}`)
    onDeleted()
  }
  if (keys.length === 0) return null
  return (
    <>
      {!asked && (
        <Button className={styles.delete ?? ''} onClick={() => setAsking(true)}>
          <Icon name="trash" />
          Delete {what}
        </Button>
      )}
      <ConfirmDialog
        open={asking}
        onClose={() => {
          setAsking(false)
          onClose?.()
        }}
        title={`Delete ${what}?`}
        consequence="Requests with these keys are refused from now on. This cannot be undone."
        names={keys.map(keyName)}
        confirm={`Delete ${what}`}
        onConfirm={deleteAll}
      />
    </>
  )
}
