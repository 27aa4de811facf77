/** The page "Getting started": steps to a first streamed answer and an API key. */
import { useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'
import { asApiError } from '../../api/api-error.ts'
import { supportsChat } from '../../api/model-capabilities.ts'
import { ownModelsQuery } from '../../api/queries.ts'
import type { UsableModel } from '../../api/schema.d.ts'
import { Badge } from '../../components/badge.tsx'
import { Button, buttonClass } from '../../components/button.tsx'
import { CodeTabs } from '../../components/code-block.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Panel } from '../../components/panel.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { useIsAdmin } from '../../shell/use-session.ts'
import { CreateKeyDialog } from '../keys/create-key-dialog.tsx'
import { codeSamples } from '../models/code-samples.ts'
import { ColleagueStep, PasswordStep, ProviderStep } from './admin-steps.tsx'
import { FirstAnswer } from './first-answer.tsx'
import { guideSteps } from './guide-steps.ts'
import { guideQuery, useGuideHiding } from './queries.ts'
import styles from './welcome-page.module.css'

export function WelcomePage() {
  const models = useQuery(ownModelsQuery)
  const guide = useQuery(guideQuery)
  const hiding = useGuideHiding()
  const [answeredNow, setAnswered] = useState(false)
  const chatModels = (models.data ?? []).filter(supportsChat)
  const steps = guide.data === undefined ? [] : guideSteps(guide.data)
  const contents = {
    password: (done: boolean) => <PasswordStep done={done} />,
    provider: (done: boolean) => <ProviderStep done={done} />,
    colleague: (done: boolean) => <ColleagueStep done={done} />,
    answer: (done: boolean) => (
      <AnswerStep models={models} chatModels={chatModels} answered={done} onAnswered={() => setAnswered(true)} />
    ),
    key: (done: boolean) => <KeyStep model={chatModels[0]} hasKey={done} />,
  }
  return (
    <>
      <PageHeader
        title="Getting started"
        description="Your first answer takes less than a minute."
        actions={
          guide.data !== undefined && (
            <Button busy={hiding.isPending} onClick={() => hiding.mutate(!guide.data.hidden)}>
              {guide.data.hidden ? 'Show it on the overview' : 'Put away'}
            </Button>
          )
        }
      />
      {guide.error !== null && <ErrorNotice error={asApiError(guide.error)} onRetry={() => void guide.refetch()} />}
      {guide.isPending && <Skeleton lines={8} label="Loading the steps" />}
      <ol className={styles.steps}>
        {steps.map(({ id, title, done }, index) => {
          const isDone = done || (id === 'answer' && answeredNow)
          return (
            <Step key={id} title={`${index + 1}. ${title}`} done={isDone}>
              {contents[id](isDone)}
            </Step>
          )
        })}
      </ol>
    </>
  )
}

interface AnswerStepProps {
  readonly models: UseQueryResult<readonly UsableModel[]>
  readonly chatModels: readonly UsableModel[]
  readonly answered: boolean
  readonly onAnswered: () => void
}

function AnswerStep({ models, chatModels, answered, onAnswered }: AnswerStepProps) {
  if (models.isPending) return <Skeleton lines={1} label="Loading models" />
  if (models.error !== null)
    return <ErrorNotice error={asApiError(models.error)} onRetry={() => void models.refetch()} />
  return (
    <div className={styles.step}>
      <ModelStep models={chatModels} />
      {chatModels.length > 0 && <FirstAnswer models={chatModels.map(({ name }) => name)} onAnswered={onAnswered} />}
      {answered && (
        <p>
          The <Link to="/playground">playground</Link> has more: images, tools, documents, models side by side.
        </p>
      )}
    </div>
  )
}

function Step({
  title,
  done,
  children,
}: {
  readonly title: string
  readonly done: boolean
  readonly children: ReactNode
}) {
  return (
    <li>
      <Panel title={title} actions={done ? <Badge tone="success">done</Badge> : <Badge>to do</Badge>}>
        {children}
      </Panel>
    </li>
  )
}

function ModelStep({ models }: { readonly models: readonly UsableModel[] }) {
  const isAdmin = useIsAdmin()
  if (models.length === 0) {
    return (
      <p>
        You cannot use any chat model yet.{' '}
        {isAdmin ? (
          <>
            Add a provider and its models on the page <Link to="/providers">Providers</Link>.
          </>
        ) : (
          'Ask an administrator to add you to a group with chat models.'
        )}
      </p>
    )
  }
  const [first] = models
  return (
    <p>
      You can use {models.length === 1 ? first?.name : `${models.length} chat models`}.{' '}
      {models.every(({ name }) => name.startsWith('demo-')) &&
        'Practice models have no AI behind them; use them to try things out. '}
      <Link to="/models">See all models</Link>
    </p>
  )
}

function KeyStep({ model, hasKey }: { readonly model: UsableModel | undefined; readonly hasKey: boolean }) {
  const [creating, setCreating] = useState(false)
  const queryClient = useQueryClient()
  const [createdNow, setCreated] = useState(false)
  const created = createdNow || hasKey
  return (
    <>
      <div className={styles.step}>
        <p>Programs use an API key instead of your password. Every OpenAI or Anthropic client works with it.</p>
        <div className={styles.actions}>
          <Button variant={created ? 'secondary' : 'primary'} onClick={() => setCreating(true)}>
            Create API Key
          </Button>
          {created && (
            <Link to="/" className={buttonClass('primary')}>
              Go to the overview
            </Link>
          )}
        </div>
        {created && model !== undefined && (
          <CodeTabs label="Code samples" samples={codeSamples(model, window.location.origin)} />
        )}
      </div>
      {creating && (
        <CreateKeyDialog
          suggestedName="My first program"
          onClose={() => setCreating(false)}
          onCreated={() => {
            setCreated(true)
            void queryClient.invalidateQueries({ queryKey: guideQuery.queryKey })
          }}
        />
      )}
    </>
  )
}
