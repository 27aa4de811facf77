/** The playground: chat, vision and document search. */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { asApiError } from '../../api/api-error.ts'
import { supportsChat, supportsImages } from '../../api/model-capabilities.ts'
import { ownModelsQuery } from '../../api/queries.ts'
import { buttonClass } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { useIsAdmin } from '../../shell/use-session.ts'
import { playgroundTabs } from '../search.ts'
import { ChatTab } from './chat/chat-tab.tsx'
import { SearchTab } from './search/search-tab.tsx'
import { VisionTab } from './vision/vision-tab.tsx'

const route = getRouteApi('/shell/playground')

export function PlaygroundPage() {
  const { tab = 'chat', model, q } = route.useSearch()
  const navigate = route.useNavigate()
  const models = useQuery(ownModelsQuery)
  const chatModels = (models.data ?? []).filter(supportsChat)
  const tabs = [
    {
      value: 'chat',
      label: 'Chat',
      content: chatModels.length > 0 ? <ChatTab models={chatModels} initialModel={model} /> : <NoModels />,
    },
    { value: 'vision', label: 'Vision', content: <VisionTab models={chatModels.filter(supportsImages)} /> },
    {
      value: 'search',
      label: 'Search',
      content: (
        <SearchTab
          query={q ?? null}
          onQuery={(next) =>
            void navigate({ search: (before) => ({ ...before, q: next === '' ? undefined : next }), replace: true })
          }
        />
      ),
    },
  ]
  return (
    <>
      <PageHeader title="Playground" description="Try your models and documents. Requests count as usage." />
      {models.error !== null && <ErrorNotice error={asApiError(models.error)} onRetry={() => void models.refetch()} />}
      {models.isPending && <Skeleton lines={6} label="Loading models" />}
      {models.data !== undefined && (
        <Tabs
          label="Playground"
          tabs={tabs}
          keepMounted
          value={tab}
          onChange={(next) =>
            void navigate({
              search: (before) => ({ ...before, tab: playgroundTabs.find((each) => each === next) }),
              replace: true,
            })
          }
        />
      )}
    </>
  )
}

function NoModels() {
  const isAdmin = useIsAdmin()
  return (
    <EmptyState
      icon="models"
      title="No chat model"
      action={
        isAdmin && (
          <Link to="/providers" className={buttonClass()}>
            Go to the providers
          </Link>
        )
      }
    >
      {isAdmin
        ? 'Add a provider and import its models for a group that you are in.'
        : 'Ask an administrator to add you to a group with chat models.'}
    </EmptyState>
  )
}
