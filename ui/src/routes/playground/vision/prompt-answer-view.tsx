/** The answer to one prompt, with its state and timing. */
import { ApiError } from '../../../api/api-error.ts'
import { Badge, type BadgeTone } from '../../../components/badge.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { durationText } from '../../../components/format.ts'
import { Markdown } from '../answer/markdown.tsx'
import styles from './prompt-answer-view.module.css'
import type { PromptAnswer, PromptState } from './stream-vision.ts'

const states: Readonly<Record<PromptState, readonly [BadgeTone, string]>> = {
  waiting: ['neutral', 'waiting'],
  running: ['accent', 'answering'],
  complete: ['success', 'done'],
  incomplete: ['warning', 'stopped at max tokens'],
  stopped: ['warning', 'stopped'],
  failed: ['danger', 'failed'],
}

export function PromptAnswerView({ answer, place }: { readonly answer: PromptAnswer; readonly place: number }) {
  const { prompt, state, text, error, firstTextMs, lastTextMs } = answer
  const [tone, word] = states[state]
  const isRunning = state === 'waiting' || state === 'running'
  return (
    <li className={styles.answer} aria-label={`Answer to prompt ${place}`}>
      <header className={styles.header}>
        <h2>{prompt}</h2>
        <Badge tone={tone}>{word}</Badge>
      </header>
      <div aria-live="polite" aria-busy={isRunning}>
        <Markdown text={text} />
      </div>
      {error !== null && <ErrorNotice error={new ApiError(error)} />}
      {firstTextMs !== null && lastTextMs !== null && (
        <p className={styles.times}>
          first token after {durationText(firstTextMs)} · {durationText(lastTextMs)} in total
        </p>
      )}
    </li>
  )
}
