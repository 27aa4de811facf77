/** A question with its answers, side by side. The last question can be edited. */
import { useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { Icon } from '../../../components/icon.tsx'
import { Textarea } from '../../../components/input.tsx'
import { AnswerView } from '../answer/answer-view.tsx'
import type { Question, Turn } from './conversation.ts'
import styles from './turn-view.module.css'

export interface TurnViewProps {
  readonly turn: Turn
  /** Only for the last turn, while no answer is running. */
  readonly onAskEdited?: ((question: Question) => void) | undefined
  readonly onRegenerate?: ((lane: number) => void) | undefined
}

export function TurnView({ turn: { question, answers }, onAskEdited, onRegenerate }: TurnViewProps) {
  const [editing, setEditing] = useState(false)
  return (
    <li className={styles.turn}>
      {editing && onAskEdited !== undefined ? (
        <QuestionEditor
          question={question}
          onCancel={() => setEditing(false)}
          onSend={(next) => {
            setEditing(false)
            onAskEdited(next)
          }}
        />
      ) : (
        <div className={styles.question}>
          <h2 className="visually-hidden">Your question</h2>
          <QuestionImages question={question} />
          {question.text !== '' && <p className={styles.text}>{question.text}</p>}
          {onAskEdited !== undefined && (
            <Button
              variant="quiet"
              icon
              aria-label="Edit the last question"
              title="Edit"
              className={styles.edit}
              onClick={() => setEditing(true)}
            >
              <Icon name="edit" />
            </Button>
          )}
        </div>
      )}
      <div className={answers.length > 1 ? styles.two : styles.one}>
        {answers.map((answer, lane) => (
          <AnswerView key={lane} answer={answer} onRegenerate={onRegenerate && (() => onRegenerate(lane))} />
        ))}
      </div>
    </li>
  )
}

function QuestionImages({ question: { images } }: { readonly question: Question }) {
  if (images.length === 0) return null
  return (
    <div className={styles.images}>
      {images.map(({ name, url }, at) =>
        url === '' ? (
          <span key={at} className={styles.lost}>
            {name} (not stored)
          </span>
        ) : (
          <img key={at} src={url} alt={name} />
        ),
      )}
    </div>
  )
}

interface QuestionEditorProps {
  readonly question: Question
  readonly onSend: (question: Question) => void
  readonly onCancel: () => void
}

function QuestionEditor({ question, onSend, onCancel }: QuestionEditorProps) {
  const [text, setText] = useState(question.text)
  const isEmpty = text.trim() === '' && question.images.length === 0
  return (
    <form
      className={styles.editor}
      onSubmit={(event) => {
        event.preventDefault()
        if (!isEmpty) onSend({ ...question, text })
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onCancel()
      }}
    >
      <Textarea
        aria-label="Your question"
        value={text}
        rows={Math.min(10, text.split('\n').length + 1)}
        ref={focusAtEnd}
        onChange={(event) => setText(event.target.value)}
      />
      <div className={styles.buttons}>
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" variant="primary" disabled={isEmpty}>
          Ask again
        </Button>
      </div>
    </form>
  )
}

/** A stable function, so that React calls it once. */
function focusAtEnd(area: HTMLTextAreaElement | null): void {
  area?.focus()
  area?.setSelectionRange(area.value.length, area.value.length)
}
