/** The settings of one class, grouped under headings, with a search. */
import type { UseQueryResult } from '@tanstack/react-query'
import { asApiError } from '../../api/api-error.ts'
import type { Setting } from '../../api/schema.d.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { FilterForm, TextFilter } from '../../components/filter-form.tsx'
import { Panel } from '../../components/panel.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { groupsOf, matchesSearch, singleSignOn } from './setting-groups.ts'
import { SettingRow } from './setting-row.tsx'
import styles from './settings-page.module.css'
import { TestIssuer } from './test-issuer.tsx'

export interface SettingListProps {
  readonly settings: UseQueryResult<readonly Setting[]>
  readonly kind: Setting['class']
  readonly search: string
  readonly onSearch: (search: string | undefined) => void
}

const hints = {
  live: 'Changes apply to the next request. Settings from the file, the environment or the command line must be changed there.',
  boot: 'The server reads these once, at its start. Change them in the file or the environment, then restart.',
} as const

export function SettingList({ settings, kind, search, onSearch }: SettingListProps) {
  if (settings.error !== null) {
    return <ErrorNotice error={asApiError(settings.error)} onRetry={() => void settings.refetch()} />
  }
  if (settings.data === undefined) return <Skeleton lines={8} label="Loading settings" />
  const ofKind = settings.data.filter((setting) => setting.class === kind)
  const found = ofKind.filter((setting) => matchesSearch(setting, search))
  return (
    <>
      <p className={styles.hint}>{hints[kind]}</p>
      <FilterForm
        label="Filter settings"
        onClear={search === '' ? null : () => onSearch(undefined)}
        status={`${found.length} of ${ofKind.length} settings`}
      >
        <TextFilter label="Search settings" placeholder="Search by words or name…" value={search} onChange={onSearch} />
      </FilterForm>
      {found.length === 0 && (
        <EmptyState icon="search" title={`No setting matches “${search}”`}>
          {kind === 'live' ? 'Look at “Read at start” as well.' : 'Look at “Live settings” as well.'}
        </EmptyState>
      )}
      <div className={styles.groups}>
        {groupsOf(found).map((group) => (
          <Panel
            key={group.title}
            title={group.title}
            actions={group.title === singleSignOn && <TestIssuer settings={settings.data ?? []} />}
          >
            <ul className={styles.list}>
              {group.settings.map((setting) => (
                <SettingRow key={setting.name} setting={setting} />
              ))}
            </ul>
          </Panel>
        ))}
      </div>
    </>
  )
}
