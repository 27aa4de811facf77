/** The page of API keys: create, see the last use, delete several. Administrators can list the keys of all users. */
import { useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { asApiError } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { keyName } from '../../api/names.ts'
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
import { BudgetsDialog } from '../budgets/budget-panel.tsx'
import { CreateKeyDialog } from './create-key-dialog.tsx'
import { KeyTable } from './key-table.tsx'
import { RotateKeyDialog } from './rotate-key-dialog.tsx'
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
  const [budgetsOf, setBudgetsOf] = useState<ApiKey | null>(null)
  const [rotating, setRotating] = useState<ApiKey | null>(null)
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
        description="Programs use an API key to call this server. A key has the permissions of its user, or fewer."
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
          Create one with “Create API Key”. The key is shown once and works at once.
        </EmptyState>
      )}
      {keys.length > 0 && (
        <KeyTable
          keys={keys}
          withOwner={owner === 'anyone'}
          selection={{ selected, onChange: setSelected }}
          hasMore={hasNextPage}
          onEndNear={fetchMore}
          onRotate={setRotating}
          onBudgets={isAdmin ? setBudgetsOf : null}
        />
      )}
      {budgetsOf !== null && (
        <BudgetsDialog
          target={{ scope: 'key', id: budgetsOf.id, name: keyName(budgetsOf) }}
          onClose={() => setBudgetsOf(null)}
        />
      )}
      {rotating !== null && <RotateKeyDialog apiKey={rotating} owner={owner} onClose={() => setRotating(null)} />}
      {creating && <CreateKeyDialog onClose={() => setCreating(false)} />}
    </>
  )
}

interface DeleteSelectedProps {
  readonly keys: readonly ApiKey[]
  readonly owner: KeyOwner
  readonly onDeleted: () => void
}

/** The maximum number of keys that one request may delete. */
const keysPerRequestMax = 1000

/** Rows disappear only after the server has answered: from then on, it refuses requests with these keys. */
function DeleteSelected({ keys, owner, onDeleted }: DeleteSelectedProps) {
  const [asking, setAsking] = useState(false)
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
      <Button className={styles.delete ?? ''} onClick={() => setAsking(true)}>
        <Icon name="trash" />
        Delete {what}
      </Button>
      <ConfirmDialog
        open={asking}
        onClose={() => setAsking(false)}
        title={`Delete ${what}?`}
        consequence="Requests with these keys are refused from now on. This cannot be undone."
        names={keys.map(({ name, prefix }) => `${name} (${prefix})`)}
        confirm={`Delete ${what}`}
        onConfirm={deleteAll}
      />
    </>
  )
}
