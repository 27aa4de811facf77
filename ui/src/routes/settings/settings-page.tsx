/** The page of settings: live settings, settings read at start, limits, and the version. */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useRouterState } from '@tanstack/react-router'
import { LatePart } from '../../components/late-part.tsx'
import { lazyPart } from '../../components/lazy-part.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { settingsTabs } from '../search.ts'
import { About } from './about.tsx'
import { Limits } from './limits.tsx'
import { settingsQuery } from './queries.ts'
import { SettingList } from './setting-list.tsx'

const TestSignInResult = lazyPart(() => import('./test-sign-in-result.tsx'), 'TestSignInResult')

const route = getRouteApi('/shell/settings')
/** Begins what is behind `#` when a test sign-in comes back. */
const resultName = 'test-sign-in='

export function SettingsPage() {
  const { tab = 'live', q = '' } = route.useSearch()
  const navigate = route.useNavigate()
  const settings = useQuery(settingsQuery)
  const hash = useRouterState({ select: ({ location }) => location.hash })
  const list = (kind: 'live' | 'boot') => (
    <SettingList
      settings={settings}
      kind={kind}
      search={q}
      onSearch={(next) => void navigate({ search: (before) => ({ ...before, q: next }), replace: true })}
    />
  )
  return (
    <>
      <PageHeader title="Settings" description="Current values and their sources. Live settings can be changed here." />
      <Tabs
        label="Settings"
        value={tab}
        onChange={(next) =>
          void navigate({
            search: (before) => ({ ...before, tab: settingsTabs.find((each) => each === next) }),
            replace: true,
          })
        }
        tabs={[
          { value: 'live', label: 'Live settings', content: list('live') },
          { value: 'start', label: 'Read at start', content: list('boot') },
          { value: 'limits', label: 'Limits', content: <Limits /> },
          { value: 'about', label: 'About', content: <About /> },
        ]}
      />
      {hash.startsWith(resultName) && (
        <LatePart>
          <TestSignInResult
            sealed={decodeURIComponent(hash.slice(resultName.length))}
            onClose={() => void navigate({ search: (before) => before, hash: '', replace: true })}
          />
        </LatePart>
      )}
    </>
  )
}
