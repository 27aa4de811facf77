/** A list of API keys with its search, its order, its selection and the dialogs of each: on the page of keys and of a user. */
import { keepPreviousData } from '@tanstack/react-query'
import { useMemo, useState, type ReactNode } from 'react'
import { asApiError } from '../../api/api-error.ts'
import { keyName } from '../../api/names.ts'
import { keysQuery, type KeyFilter, type KeyOwner } from '../../api/queries.ts'
import { useItems } from '../../api/use-items.ts'
import type { ApiKey, User } from '../../api/schema.d.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { FilterForm, TextFilter } from '../../components/filter-form.tsx'
import { LatePart } from '../../components/late-part.tsx'
import { lazyPart } from '../../components/lazy-part.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { useIsAdmin } from '../../shell/use-session.ts'
import { orderOnWire, sortingOf } from '../list-order.ts'
import { keyOrders, type KeysSearch } from '../search.ts'
import { useActivity } from '../usage/activity-cell.tsx'
import { DeleteKeys } from './delete-keys.tsx'
import { KeyTable, type KeyAction } from './key-table.tsx'

// These load when they are opened.
const BudgetsDialog = lazyPart(() => import('../budgets/budget-panel.tsx'), 'BudgetsDialog')
const EditKeyDialog = lazyPart(() => import('./edit-key-dialog.tsx'), 'EditKeyDialog')
const RotateKeyDialog = lazyPart(() => import('./rotate-key-dialog.tsx'), 'RotateKeyDialog')

export interface KeyListProps {
  readonly owner: KeyOwner
  /** Only the keys of this user. */
  readonly user?: User
  readonly search: KeysSearch
  readonly onSearch: (change: KeysSearch) => void
  /** Further filters. */
  readonly children?: ReactNode
}

type Opened = { readonly what: KeyAction; readonly key: ApiKey } | null

export function KeyList({ owner, user, search, onSearch, children }: KeyListProps) {
  const { q = '', sort, desc } = search
  const {
    list,
    items: keys,
    fetchMore,
    fetchAll,
  } = useItems({
    ...keysQuery(owner, filterOf(search, user)),
    placeholderData: keepPreviousData,
  })
  const { data, error, isPending, hasNextPage, refetch } = list
  const isAdmin = useIsAdmin()
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [opened, setOpened] = useState<Opened>(null)
  const ids = useMemo(() => keys.map(({ id }) => id), [keys])
  const activity = useActivity(owner === 'self' ? 'self' : 'everyone', 'key', ids)
  const find = (change: KeysSearch): void => {
    setSelected(new Set())
    onSearch({ ...search, ...change })
  }
  return (
    <>
      <FilterForm
        label="Filter keys"
        onClear={q === '' ? null : () => find({ q: undefined })}
        actions={
          <DeleteKeys
            keys={keys.filter(({ id }) => selected.has(id))}
            owner={owner}
            onDeleted={() => setSelected(new Set())}
          />
        }
      >
        <TextFilter
          label="Search keys"
          placeholder={owner === 'anyone' && user === undefined ? 'Search name, key or user…' : 'Search name or key…'}
          value={q}
          onChange={(next) => find({ q: next })}
        />
        {children}
      </FilterForm>
      {error !== null && <ErrorNotice error={asApiError(error)} onRetry={() => void refetch()} />}
      {isPending && <Skeleton lines={6} label="Loading API keys" />}
      {data !== undefined && keys.length === 0 && <NoKeys q={q} user={user} />}
      {keys.length > 0 && (
        <KeyTable
          keys={keys}
          withOwner={owner === 'anyone' && user === undefined}
          selection={{ selected, onChange: setSelected }}
          hasMore={hasNextPage}
          onEndNear={fetchMore}
          onLoadAll={fetchAll}
          sorting={sortingOf(keyOrders, { sort, desc }, find)}
          activity={activity}
          isAdmin={isAdmin}
          onAction={(what, key) => setOpened({ what, key })}
        />
      )}
      <LatePart onClose={() => setOpened(null)}>
        <OpenedDialog opened={opened} owner={owner} onClose={() => setOpened(null)} />
      </LatePart>
    </>
  )
}

function filterOf({ q = '', ...order }: KeysSearch, user: User | undefined): KeyFilter {
  const text = q.trim()
  return { ...(text !== '' && { q: text }), ...orderOnWire(order), ...(user && { user_id: user.id }) }
}

function NoKeys({ q, user }: { readonly q: string; readonly user: User | undefined }) {
  if (q !== '') {
    return (
      <EmptyState icon="search" title={`No key matches “${q}”`}>
        The search looks for a part of the name, the description, the key as it is shown, and its user.
      </EmptyState>
    )
  }
  return (
    <EmptyState icon="key" title="No API keys yet">
      {user === undefined
        ? 'Create one with “Create API Key”. The key is shown once and works at once.'
        : `Create one for ${user.email} with “Create API key”. It is shown once and works at once.`}
    </EmptyState>
  )
}

interface OpenedDialogProps {
  readonly opened: Opened
  readonly owner: KeyOwner
  readonly onClose: () => void
}

function OpenedDialog({ opened, owner, onClose }: OpenedDialogProps) {
  switch (opened?.what) {
    case undefined:
      return null
    case 'edit':
      return <EditKeyDialog apiKey={opened.key} owner={owner} onClose={onClose} />
    case 'rotate':
      return <RotateKeyDialog apiKey={opened.key} owner={owner} onClose={onClose} />
    case 'budgets':
      return <BudgetsDialog target={{ scope: 'key', id: opened.key.id, name: keyName(opened.key) }} onClose={onClose} />
    case 'delete':
      return <DeleteKeys keys={[opened.key]} owner={owner} asked onDeleted={onClose} onClose={onClose} />
  }
}
