/** The page "Getting started": steps to a first streamed answer and an API key. */
import { useQuery } from '@tanstack/react-query'
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
import { useIsAdmin, useSession } from '../../shell/use-session.ts'
import { CreateKeyDialog } from '../keys/create-key-dialog.tsx'
import { codeSamples } from '../models/code-samples.ts'
import { progressQuery } from './queries.ts'
import { FirstAnswer } from './first-answer.tsx'
import styles from './welcome-page.module.css'

export function WelcomePage() {
  const { user } = useSession()
  const models = useQuery(ownModelsQuery)
  const progress = useQuery(progressQuery).data
  const [answeredNow, setAnswered] = useState(false)
  const answered = answeredNow || progress?.answered === true
  const chatModels = (models.data ?? []).filter(supportsChat)
  return (
    <>
      <PageHeader title="Getting started" description="Your first answer takes less than a minute." />
      <ol className={styles.steps}>
        <Step title="1. Sign in" done>
          <p>You are signed in as {user.email}.</p>
        </Step>
        <Step title="2. Find a model" done={chatModels.length > 0}>
          {models.isPending && <Skeleton lines={1} label="Loading models" />}
          {models.error !== null && (
            <ErrorNotice error={asApiError(models.error)} onRetry={() => void models.refetch()} />
          )}
          {models.data !== undefined && <ModelStep models={chatModels} />}
        </Step>
        <Step title="3. Get an answer" done={answered}>
          {chatModels.length > 0 ? (
            <div className={styles.step}>
              <FirstAnswer models={chatModels.map(({ name }) => name)} onAnswered={() => setAnswered(true)} />
              {answered && (
                <p>
                  The <Link to="/playground">playground</Link> has more: images, documents, two models side by side.
                </p>
              )}
            </div>
          ) : (
            <p>Find a model first.</p>
          )}
        </Step>
        <KeyStep model={chatModels[0]} hasKey={progress?.hasKey === true} />
      </ol>
    </>
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
  const [createdNow, setCreated] = useState(false)
  const created = createdNow || hasKey
  return (
    <Step title="4. Create an API key" done={created}>
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
          onCreated={() => setCreated(true)}
        />
      )}
    </Step>
  )
}
