/** A question with its answers, side by side. The last question can be edited. */
import { memo, useState } from 'react'
import type { Citation } from '../../../api/stream-chat.ts'
import { Button } from '../../../components/button.tsx'
import { Icon } from '../../../components/icon.tsx'
import { Textarea } from '../../../components/input.tsx'
import { LatePart } from '../../../components/late-part.tsx'
import { lazyPart } from '../../../components/lazy-part.tsx'
import { isRunning, type Question, type Turn } from './conversation.ts'
import type { ToolDraft } from './tool-draft.ts'
import styles from './turn-view.module.css'

export interface TurnViewProps {
  readonly turn: Turn
  readonly tools: readonly ToolDraft[]
  readonly onSource: (citation: Citation) => void
  /** Only for the last turn, while no answer is running. */
  readonly onAskEdited?: ((question: Question) => void) | undefined
  readonly onRegenerate?: ((lane: number) => void) | undefined
  readonly onResults?: ((lane: number, results: readonly string[]) => void) | undefined
}

/** Loads after the page, before the first answer comes. */
export const AnswerView = lazyPart(() => import('../answer/answer-view.tsx'), 'AnswerView')
// Loads when several models have answered.
const CompareTable = lazyPart(() => import('../answer/compare-table.tsx'), 'CompareTable')

/** Turns before the last one do not change while it is answered: they are not rendered again. */
export const TurnView = memo(function TurnView(props: TurnViewProps) {
  const { turn, tools, onSource, onAskEdited, onRegenerate, onResults } = props
  const { question, answers, schema } = turn
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
          <LatePart key={lane}>
            <AnswerView
              answer={answer}
              schema={schema}
              tools={tools}
              onSource={onSource}
              onRegenerate={onRegenerate && (() => onRegenerate(lane))}
              onResults={onResults && ((results) => onResults(lane, results))}
            />
          </LatePart>
        ))}
      </div>
      {answers.length > 1 && !isRunning([turn]) && (
        <LatePart>
          <CompareTable answers={answers} />
        </LatePart>
      )}
    </li>
  )
})

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
