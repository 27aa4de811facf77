/** The playground: chat, and a tab for each other kind of model and for the documents, loaded when it is opened. */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'
import { asApiError } from '../../api/api-error.ts'
import { modelsWith, supportsChat, supportsImages } from '../../api/model-capabilities.ts'
import { ownModelsQuery } from '../../api/queries.ts'
import { buttonClass } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { useIsAdmin } from '../../shell/use-session.ts'
import { playgroundTabs } from '../search.ts'
import { lazyPart } from '../../components/lazy-part.tsx'
import { ChatTab } from './chat/chat-tab.tsx'

const VisionTab = lazyPart(() => import('./vision/vision-tab.tsx'), 'VisionTab')
const ImagesTab = lazyPart(() => import('./images/images-tab.tsx'), 'ImagesTab')
const AudioTab = lazyPart(() => import('./audio/audio-tab.tsx'), 'AudioTab')
const EmbeddingsTab = lazyPart(() => import('./embeddings/embeddings-tab.tsx'), 'EmbeddingsTab')
const RerankTab = lazyPart(() => import('./rerank/rerank-tab.tsx'), 'RerankTab')
const SearchTab = lazyPart(() => import('./search/search-tab.tsx'), 'SearchTab')

const route = getRouteApi('/shell/playground')

export function PlaygroundPage() {
  const { tab = 'chat', model, q } = route.useSearch()
  const navigate = route.useNavigate()
  const models = useQuery(ownModelsQuery)
  const all = models.data ?? []
  const chatModels = all.filter(supportsChat)
  // A tab that was opened stays, so that its work continues.
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set([tab]))
  if (!opened.has(tab)) setOpened(new Set([...opened, tab]))
  const contents: Readonly<Record<(typeof playgroundTabs)[number], () => ReactNode>> = {
    chat: () => (chatModels.length > 0 ? <ChatTab models={chatModels} initialModel={model} /> : <NoModels />),
    vision: () => <VisionTab models={chatModels.filter(supportsImages)} />,
    images: () => <ImagesTab models={modelsWith(all, 'images/generations')} initialModel={model} />,
    audio: () => <AudioTab models={all} initialModel={model} />,
    embeddings: () => <EmbeddingsTab models={modelsWith(all, 'embeddings')} initialModel={model} />,
    rerank: () => <RerankTab models={modelsWith(all, 'rerank')} initialModel={model} />,
    search: () => (
      <SearchTab
        query={q ?? null}
        onQuery={(next) =>
          void navigate({ search: (before) => ({ ...before, q: next === '' ? undefined : next }), replace: true })
        }
      />
    ),
  }
  const tabs = playgroundTabs.map((value) => ({
    value,
    label: value[0]?.toUpperCase() + value.slice(1),
    content: opened.has(value) ? contents[value]() : null,
  }))
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
