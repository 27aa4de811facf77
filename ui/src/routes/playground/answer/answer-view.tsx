/** One model's answer: text, calls of tools, sources, metrics and actions. */
import { useCallback } from 'react'
import { ApiError } from '../../../api/api-error.ts'
import type { Citation } from '../../../api/stream-chat.ts'
import { Badge } from '../../../components/badge.tsx'
import { Button } from '../../../components/button.tsx'
import { CopyButton } from '../../../components/copy-button.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { Icon } from '../../../components/icon.tsx'
import { LatePart } from '../../../components/late-part.tsx'
import { lazyPart } from '../../../components/lazy-part.tsx'
import { isWaiting, type Answer } from '../chat/conversation.ts'
import type { ToolDraft } from '../chat/tool-draft.ts'
import styles from './answer-view.module.css'
import { AnswerMetrics } from './answer-metrics-view.tsx'
import { Markdown } from './markdown.tsx'
import { Sources } from './sources.tsx'

export interface AnswerViewProps {
  readonly answer: Answer
  /** The JSON schema that the answer was asked to follow; empty for none. */
  readonly schema: string
  readonly tools: readonly ToolDraft[]
  readonly onSource: (citation: Citation) => void
  /** Asks for another answer; left out when that is not possible. */
  readonly onRegenerate?: (() => void) | undefined
  /** Gives the calls of the answer their results; left out when that is not possible. */
  readonly onResults?: ((results: readonly string[]) => void) | undefined
}

// These load with the first call, and with the first schema.
const Rounds = lazyPart(() => import('./tool-calls.tsx'), 'Rounds')
const ToolCalls = lazyPart(() => import('./tool-calls.tsx'), 'ToolCalls')
const SchemaCheck = lazyPart(() => import('./schema-check.tsx'), 'SchemaCheck')

export function AnswerView(props: AnswerViewProps) {
  const { answer, schema, onSource, onRegenerate } = props
  const { model, state, progress, error } = answer
  const { text, reasoning, citations } = progress
  const running = state === 'running'
  const openSource = useCallback(
    (index: number) => {
      const citation = citations.find((each) => each.index === index)
      if (citation !== undefined) onSource(citation)
    },
    [citations, onSource],
  )
  return (
    <article className={styles.answer} aria-label={`Answer of ${model}`}>
      <header className={styles.header}>
        <span className={styles.model}>{model}</span>
        <StateBadge answer={answer} />
      </header>
      {answer.rounds.length > 0 && (
        <LatePart>
          <Rounds rounds={answer.rounds} />
        </LatePart>
      )}
      {reasoning !== '' && (
        <details className={styles.reasoning} open={running && text === ''}>
          <summary>Reasoning</summary>
          <p>{reasoning}</p>
        </details>
      )}
      {(text !== '' || running) && (
        // Screen readers announce the complete answer, not every token.
        <div aria-live="polite" aria-busy={running} className={running ? styles.running : undefined}>
          {text === '' && <span className="visually-hidden">Waiting for the first token</span>}
          <Markdown text={text} sources={citations.length} onSource={openSource} />
        </div>
      )}
      <Calls {...props} />
      {state === 'complete' && schema !== '' && text !== '' && (
        <LatePart>
          <SchemaCheck text={text} schema={schema} what="answer" />
        </LatePart>
      )}
      {error !== null && <ErrorNotice error={new ApiError(error)} {...(onRegenerate && { onRetry: onRegenerate })} />}
      {citations.length > 0 && <Sources citations={citations} onOpen={onSource} />}
      {!running && <Footer {...props} />}
    </article>
  )
}

function Calls({ answer, tools, onResults }: AnswerViewProps) {
  if (answer.progress.toolCalls.length === 0) return null
  return (
    <LatePart>
      <ToolCalls answer={answer} tools={tools} onResults={onResults} />
    </LatePart>
  )
}

function Footer({ answer: { model, progress, error }, onRegenerate }: AnswerViewProps) {
  return (
    <footer className={styles.footer}>
      <AnswerMetrics model={model} progress={progress} />
      <div className={styles.actions}>
        {progress.text !== '' && <CopyButton text={progress.text} what={`answer of ${model}`} />}
        {onRegenerate !== undefined && error === null && (
          <Button
            variant="quiet"
            icon
            aria-label={`Regenerate the answer of ${model}`}
            title="Regenerate"
            onClick={onRegenerate}
          >
            <Icon name="retry" />
          </Button>
        )}
      </div>
    </footer>
  )
}

function StateBadge({ answer }: { readonly answer: Answer }) {
  const { state, progress } = answer
  if (state === 'stopped') return <Badge tone="warning">stopped</Badge>
  if (state === 'failed') return <Badge tone="danger">failed</Badge>
  if (state === 'running') return <Badge tone="accent">{progress.text === '' ? 'waiting' : 'answering'}</Badge>
  // An answer that was cut says so, whatever it was about to do.
  if (progress.finishReason === 'length') return <Badge tone="warning">stopped at max tokens</Badge>
  if (progress.finishReason === 'content_filter') return <Badge tone="warning">stopped by a filter</Badge>
  return isWaiting(answer) ? <Badge tone="accent">waits for results</Badge> : null
}
