/** A question and the answers to it, side by side where there are two. The last question can be edited. */
import { useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { Icon } from '../../../components/icon.tsx'
import { Textarea } from '../../../components/input.tsx'
import { AnswerView } from '../answer/answer-view.tsx'
import type { Question, Turn } from './conversation.ts'
import styles from './turn-view.module.css'

export interface TurnViewProps {
  readonly turn: Turn
  /** Only of the last turn, while nothing is running. */
  readonly onAskInstead?: ((question: Question) => void) | undefined
  readonly onRegenerate?: ((lane: number) => void) | undefined
}

export function TurnView({ turn: { question, answers }, onAskInstead, onRegenerate }: TurnViewProps) {
  const [editing, setEditing] = useState(false)
  return (
    <li className={styles.turn}>
      {editing && onAskInstead !== undefined ? (
        <QuestionEditor
          question={question}
          onCancel={() => setEditing(false)}
          onSend={(next) => {
            setEditing(false)
            onAskInstead(next)
          }}
        />
      ) : (
        <div className={styles.question}>
          <h2 className="visually-hidden">Your question</h2>
          <Pictures question={question} />
          {question.text !== '' && <p className={styles.text}>{question.text}</p>}
          {onAskInstead !== undefined && (
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

function Pictures({ question: { pictures } }: { readonly question: Question }) {
  if (pictures.length === 0) return null
  return (
    <div className={styles.pictures}>
      {pictures.map(({ name, url }, at) =>
        url === '' ? (
          <span key={at} className={styles.lost}>
            {name} (not kept)
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
  const isEmpty = text.trim() === '' && question.pictures.length === 0
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

/** The same function each time, so that the focus is set once. */
function focusAtEnd(area: HTMLTextAreaElement | null): void {
  area?.focus()
  area?.setSelectionRange(area.value.length, area.value.length)
}
