/** The in-flight limits: the default, and limits of single accounts. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { asApiError } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { resource } from '../../api/queries.ts'
import type { OwnInflightLimit } from '../../api/schema.d.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Icon } from '../../components/icon.tsx'
import { Panel } from '../../components/panel.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { toast } from '../../components/toast.tsx'
import { AddLimitDialog, ChangeLimitDialog } from './limit-dialog.tsx'
import { LimitTable } from './limit-table.tsx'
import styles from './limits.module.css'
import { ownLimitsQuery, settingsQuery } from './queries.ts'
import { SettingRow } from './setting-row.tsx'
import pageStyles from './settings-page.module.css'

type Opened = { readonly what: 'add' } | { readonly what: 'change' | 'remove'; readonly limit: OwnInflightLimit } | null

export function Limits() {
  const settings = useQuery(settingsQuery)
  const limits = useQuery(ownLimitsQuery)
  const [opened, setOpened] = useState<Opened>(null)
  const close = (): void => setOpened(null)
  return (
    <div className={styles.block}>
      <Panel title="For every account and model">
        {settings.data === undefined && <Skeleton lines={2} label="Loading settings" />}
        <ul className={pageStyles.list}>
          {settings.data
            ?.filter(({ name }) => name.startsWith('limits.'))
            .map((setting) => (
              <SettingRow key={setting.name} setting={setting} />
            ))}
        </ul>
      </Panel>
      <Panel
        title="For single accounts"
        actions={
          <Button onClick={() => setOpened({ what: 'add' })}>
            <Icon name="plus" />
            Add limit
          </Button>
        }
      >
        <p className={pageStyles.hint}>
          An account’s limit for a model overrides the model’s limit and the default. All keys of the account share one
          count.
        </p>
        {limits.error !== null && (
          <ErrorNotice error={asApiError(limits.error)} onRetry={() => void limits.refetch()} />
        )}
        {limits.isPending && <Skeleton lines={3} label="Loading limits" />}
        {limits.data?.length === 0 && (
          <p className={styles.none}>
            No account has its own limit. Add one to raise or lower the limit of an account.
          </p>
        )}
        {limits.data !== undefined && limits.data.length > 0 && (
          <LimitTable limits={limits.data} onAction={(what, limit) => setOpened({ what, limit })} />
        )}
      </Panel>
      {opened?.what === 'add' && <AddLimitDialog onClose={close} />}
      {opened?.what === 'change' && <ChangeLimitDialog limit={opened.limit} onClose={close} />}
      {opened?.what === 'remove' && <RemoveLimit limit={opened.limit} onClose={close} />}
    </div>
  )
}

function RemoveLimit({ limit, onClose }: { readonly limit: OwnInflightLimit; readonly onClose: () => void }) {
  const queryClient = useQueryClient()
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title="Remove this limit?"
      consequence="The model’s limit, or the default, applies to the account’s next request."
      names={[`${limit.user}, ${limit.model}: ${limit.limit} in flight`]}
      confirm="Remove limit"
      onConfirm={async () => {
        await api('DELETE /admin/api/v1/models/{id}/inflight-limits/{userId}', {
          params: { id: limit.model_id, userId: limit.user_id },
          of: limit,
        })
        await queryClient.invalidateQueries({ queryKey: resource.settings })
        toast(`Removed the limit of ${limit.user}`)
      }}
    />
  )
}
