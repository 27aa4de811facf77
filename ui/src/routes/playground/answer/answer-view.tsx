/** One model's answer: text, sources, metrics and actions. */
import { useState } from 'react'
import { ApiError } from '../../../api/api-error.ts'
import { Badge } from '../../../components/badge.tsx'
import { Button } from '../../../components/button.tsx'
import { CopyButton } from '../../../components/copy-button.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { Icon } from '../../../components/icon.tsx'
import type { Answer } from '../chat/conversation.ts'
import styles from './answer-view.module.css'
import { metricTexts } from './answer-metrics.ts'
import { Markdown } from './markdown.tsx'
import { SourceDialog, Sources } from './sources.tsx'

export interface AnswerViewProps {
  readonly answer: Answer
  /** Asks for another answer; left out when that is not possible. */
  readonly onRegenerate?: (() => void) | undefined
}

export function AnswerView({ answer, onRegenerate }: AnswerViewProps) {
  const { model, state, progress, error } = answer
  const [opened, setOpened] = useState<number | null>(null)
  const { text, reasoning, citations } = progress
  const source = citations.find(({ index }) => index === opened)
  const running = state === 'running'
  return (
    <article className={styles.answer} aria-label={`Answer of ${model}`}>
      <header className={styles.header}>
        <span className={styles.model}>{model}</span>
        <StateBadge answer={answer} />
      </header>
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
          <Markdown text={text} sources={citations.length} onSource={setOpened} />
        </div>
      )}
      {error !== null && <ErrorNotice error={new ApiError(error)} {...(onRegenerate && { onRetry: onRegenerate })} />}
      {citations.length > 0 && <Sources citations={citations} onOpen={setOpened} />}
      {!running && (
        <footer className={styles.footer}>
          <p className={styles.figures}>{metricTexts(progress).join(' · ')}</p>
          <div className={styles.actions}>
            {text !== '' && <CopyButton text={text} what={`answer of ${model}`} />}
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
      )}
      {source !== undefined && <SourceDialog citation={source} onClose={() => setOpened(null)} />}
    </article>
  )
}

function StateBadge({ answer: { state, progress } }: { readonly answer: Answer }) {
  if (state === 'stopped') return <Badge tone="warning">stopped</Badge>
  if (state === 'failed') return <Badge tone="danger">failed</Badge>
  if (state === 'running') return <Badge tone="accent">{progress.text === '' ? 'waiting' : 'answering'}</Badge>
  return progress.finishReason === 'length' ? <Badge tone="warning">stopped at max tokens</Badge> : null
}
