/** The logged content of a request. It is read when the administrator asks for it, because the audit log says who has looked. */
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { asApiError } from '../../api/api-error.ts'
import type { FullContentLog, RequestRecord } from '../../api/schema.d.ts'
import { Button } from '../../components/button.tsx'
import { CodeBlock } from '../../components/code-block.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { useSession } from '../../shell/use-session.ts'
import { storeAsked } from '../playground/chat/stored-chat.ts'
import { contentQuery } from './queries.ts'
import styles from './request-content.module.css'
import { spokenContent, type SpokenContent } from './spoken-messages.ts'

export interface RequestContentProps {
  readonly request: RequestRecord
  /** The id of the logged content. */
  readonly id: string
}

export function RequestContent({ request, id }: RequestContentProps) {
  const [isShown, setShown] = useState(false)
  const { data, error, isFetching, refetch } = useQuery({ ...contentQuery(id), enabled: isShown })
  return (
    <section className={styles.content} aria-labelledby="content-heading">
      <h2 id="content-heading">Content</h2>
      {data === undefined && !isFetching && error === null && (
        <div className={styles.ask}>
          <p>Prompt and answer of this request are logged. The audit log records who looks at them.</p>
          <Button onClick={() => setShown(true)}>Show the content</Button>
        </div>
      )}
      {isFetching && data === undefined && <Skeleton lines={4} label="Loading the content" />}
      {error !== null && <ErrorNotice error={asApiError(error)} onRetry={() => void refetch()} />}
      {data !== undefined && <Shown content={data} model={request.model_asked ?? request.model ?? ''} />}
    </section>
  )
}

function Shown({ content, model }: { readonly content: FullContentLog; readonly model: string }) {
  const { request, answer, request_cut: requestCut, answer_cut: answerCut } = content
  const spoken = spokenContent(request, answer)
  return (
    <>
      {spoken !== null && <Spoken spoken={spoken} />}
      {(requestCut || answerCut) && (
        <p>
          {requestCut && 'Some of the prompt is missing. '}
          {answerCut && 'Some of the answer is missing. '}
          The log keeps <code>content_log.max_bytes</code> of each.
        </p>
      )}
      {spoken !== null && spoken.messages.at(-1)?.role === 'user' && <TryAgain spoken={spoken} model={model} />}
      <details>
        <summary>As it is stored</summary>
        <CodeBlock language="Request" code={indented(request)} />
        {answer === null ? <p>There was no answer.</p> : <CodeBlock language="Answer" code={indented(answer)} />}
      </details>
    </>
  )
}

function Spoken({ spoken: { system, messages, answer } }: { readonly spoken: SpokenContent }) {
  const all = [
    ...(system === '' ? [] : [{ role: 'system', text: system }]),
    ...messages,
    ...(answer === '' ? [] : [{ role: 'answer', text: answer }]),
  ]
  return (
    <ol className={styles.messages}>
      {all.map(({ role, text }, at) => (
        <li key={at}>
          <span className={styles.role}>{role}</span>
          <p className={styles.text}>{text}</p>
        </li>
      ))}
    </ol>
  )
}

/** Opens the playground with the conversation, and its last question ready to be sent. */
function TryAgain({ spoken, model }: { readonly spoken: SpokenContent; readonly model: string }) {
  const navigate = useNavigate()
  const { user } = useSession()
  const open = async (): Promise<void> => {
    storeAsked(user.id, { ...spoken, model })
    await navigate({ to: '/playground', search: { model } })
  }
  return (
    <div>
      <Button onClick={() => void open()}>Try it again in the playground</Button>
    </div>
  )
}

/** JSON for reading; what was cut off stays as it is. */
function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
