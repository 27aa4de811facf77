/** API keys: create one, see when each was last used, delete several at once. Administrators can see all users' keys. */
import { useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { asApiError } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { keysQuery, resource, type KeyOwner } from '../../api/queries.ts'
import { useItems } from '../../api/use-items.ts'
import type { ApiKey } from '../../api/schema.d.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { FilterForm } from '../../components/filter-form.tsx'
import { countText } from '../../components/format.ts'
import { Icon } from '../../components/icon.tsx'
import { Checkbox } from '../../components/input.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { toast } from '../../components/toast.tsx'
import { useIsAdmin } from '../../shell/use-session.ts'
import { CreateKeyDialog } from './create-key-dialog.tsx'
import { KeyTable } from './key-table.tsx'
import styles from './keys-page.module.css'

const route = getRouteApi('/shell/keys')

export function KeysPage() {
  const isAdmin = useIsAdmin()
  const owner: KeyOwner = route.useSearch().owner === 'anyone' && isAdmin ? 'anyone' : 'self'
  const navigate = route.useNavigate()
  const { list, items: keys, fetchMore } = useItems(keysQuery(owner))
  const { data, error, isPending, hasNextPage, refetch } = list
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [creating, setCreating] = useState(false)
  const create = (
    <Button variant="primary" onClick={() => setCreating(true)}>
      <Icon name="plus" />
      Create API Key
    </Button>
  )
  return (
    <>
      <PageHeader
        title="API Keys"
        description="Programs call this server with a key. A key can do what its user can do, or less."
        actions={create}
      />
      <FilterForm
        label="Filter keys"
        onClear={null}
        actions={
          <DeleteSelected
            keys={keys.filter(({ id }) => selected.has(id))}
            owner={owner}
            onDeleted={() => setSelected(new Set())}
          />
        }
      >
        {isAdmin && (
          <Checkbox
            label="Keys of all users"
            checked={owner === 'anyone'}
            onChange={(event) => {
              setSelected(new Set())
              void navigate({ search: event.target.checked ? { owner: 'anyone' } : {}, replace: true })
            }}
          />
        )}
      </FilterForm>
      {error !== null && <ErrorNotice error={asApiError(error)} onRetry={() => void refetch()} />}
      {isPending && <Skeleton lines={6} label="Loading API keys" />}
      {data !== undefined && keys.length === 0 && (
        <EmptyState icon="key" title="No API keys yet">
          Create one with “Create API Key”. It is shown once, and works on its first request.
        </EmptyState>
      )}
      {keys.length > 0 && (
        <KeyTable
          keys={keys}
          withOwner={owner === 'anyone'}
          selection={{ selected, onChange: setSelected }}
          hasMore={hasNextPage}
          onEndNear={fetchMore}
        />
      )}
      {creating && <CreateKeyDialog onClose={() => setCreating(false)} />}
    </>
  )
}

interface DeleteSelectedProps {
  readonly keys: readonly ApiKey[]
  readonly owner: KeyOwner
  readonly onDeleted: () => void
}

/** The server deletes at most this many keys with one request. */
const deletedTogetherMax = 1000

/** Nothing is taken out of the list before the server has answered: then the next request with such a key is refused. */
function DeleteSelected({ keys, owner, onDeleted }: DeleteSelectedProps) {
  const [asking, setAsking] = useState(false)
  const queryClient = useQueryClient()
  const what = countText(keys.length, 'API key')
  async function deleteAll(): Promise<void> {
    const ids = keys.map(({ id }) => id)
    try {
      for (let first = 0; first < ids.length; first += deletedTogetherMax) {
        const body = { ids: ids.slice(first, first + deletedTogetherMax) }
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
      <Button className={styles.delete ?? ''} onClick={() => setAsking(true)}>
        <Icon name="trash" />
        Delete {what}
      </Button>
      <ConfirmDialog
        open={asking}
        onClose={() => setAsking(false)}
        title={`Delete ${what}?`}
        consequence="Their next request is refused. There is no way to get a deleted key back."
        names={keys.map(({ name, prefix }) => `${name} (${prefix})`)}
        confirm={`Delete ${what}`}
        onConfirm={deleteAll}
      />
    </>
  )
}
