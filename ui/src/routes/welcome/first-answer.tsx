/** Asks one model one question and streams the answer. */
import { useRef, useState } from 'react'
import { asApiError, type ApiError } from '../../api/api-error.ts'
import { streamChat, type ChatProgress } from '../../api/stream-chat.ts'
import { Button } from '../../components/button.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Field } from '../../components/field.tsx'
import { Icon } from '../../components/icon.tsx'
import { Input, Select } from '../../components/input.tsx'
import { metricTexts } from '../playground/answer/answer-metrics.ts'
import styles from './first-answer.module.css'

export interface FirstAnswerProps {
  readonly models: readonly string[]
  /** Called after a complete answer. */
  readonly onAnswered: () => void
}

export function FirstAnswer({ models, onAnswered }: FirstAnswerProps) {
  const [model, setModel] = useState(models[0] ?? '')
  const [question, setQuestion] = useState('Hello! What can you do?')
  const { progress, error, running, ask, stop } = useAnswer(onAnswered)
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault()
        void ask(model, question)
      }}
    >
      <div className={styles.question}>
        <Field label="Model">
          <Select value={model} onChange={(event) => setModel(event.target.value)}>
            {models.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </Select>
        </Field>
        <Field label="Your question">
          <Input value={question} required onChange={(event) => setQuestion(event.target.value)} />
        </Field>
      </div>
      <div>
        {running ? (
          <Button key="stop" onClick={stop}>
            <Icon name="stop" />
            Stop
          </Button>
        ) : (
          <Button key="ask" type="submit" variant={progress === null ? 'primary' : 'secondary'}>
            <Icon name="play" />
            Ask
          </Button>
        )}
      </div>
      {progress !== null && (
        <>
          <div className={styles.answer} aria-label="Answer" role="region" aria-live="polite" aria-busy={running}>
            {progress.reasoning !== '' && <p className={styles.reasoning}>{progress.reasoning}</p>}
            {progress.text}
          </div>
          <p className={styles.figures}>{metricTexts(progress).join(' · ')}</p>
        </>
      )}
      {error !== null && <ErrorNotice error={error} />}
    </form>
  )
}

interface Answering {
  readonly progress: ChatProgress | null
  readonly error: ApiError | null
  readonly running: boolean
  readonly ask: (model: string, question: string) => Promise<void>
  readonly stop: () => void
}

function useAnswer(onAnswered: () => void): Answering {
  const [progress, setProgress] = useState<ChatProgress | null>(null)
  const [error, setError] = useState<ApiError | null>(null)
  const [running, setRunning] = useState<AbortController | null>(null)
  const current = useRef<AbortController | null>(null)

  async function ask(model: string, question: string): Promise<void> {
    current.current?.abort()
    const controller = new AbortController()
    current.current = controller
    setRunning(controller)
    setError(null)
    setProgress(null)
    try {
      const messages = [{ role: 'user' as const, content: question }]
      for await (const next of streamChat({ model, messages }, controller.signal)) setProgress(next)
      onAnswered()
    } catch (thrown) {
      if (!controller.signal.aborted) setError(asApiError(thrown))
    } finally {
      setRunning((before) => (before === controller ? null : before))
    }
  }
  return { progress, error, running: running !== null, ask, stop: () => current.current?.abort() }
}
