/** The calls of functions that a model made: what each was called with, and what it answered or a field for that. Loads with the first call. */
import { useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { CodeBlock } from '../../../components/code-block.tsx'
import { Field } from '../../../components/field.tsx'
import { Icon } from '../../../components/icon.tsx'
import { Textarea } from '../../../components/input.tsx'
import type { ToolCall } from '../../../api/stream-chat.ts'
import type { Answer, ToolRound } from '../chat/conversation.ts'
import type { ToolDraft } from '../chat/tool-draft.ts'
import { SchemaCheck } from './schema-check.tsx'
import styles from './tool-calls.module.css'

/** What came before the rest of an answer. */
export function Rounds({ rounds }: { readonly rounds: readonly ToolRound[] }) {
  return rounds.map(({ text, calls }, round) => (
    <div key={round} className={styles.round}>
      {text !== '' && <p className={styles.text}>{text}</p>}
      {calls.map((call, at) => (
        <section key={at} className={styles.call} aria-label={`Call ${at + 1} of round ${round + 1}`}>
          <Called call={call} />
          <p className={styles.label}>Answered</p>
          <pre className={styles.result}>{call.result}</pre>
        </section>
      ))}
    </div>
  ))
}

export interface ToolCallsProps {
  readonly answer: Answer
  readonly tools: readonly ToolDraft[]
  /** Sends the results; left out where the answer does not go on. */
  readonly onResults?: ((results: readonly string[]) => void) | undefined
}

/** The calls that wait for their results. */
export function ToolCalls({ answer: { model, progress, state }, tools, onResults }: ToolCallsProps) {
  const calls = progress.toolCalls
  const toolOf = (call: ToolCall): ToolDraft | undefined => tools.find(({ name }) => name === call.name)
  const [typed, setTyped] = useState<readonly string[]>([])
  const resultOf = (call: ToolCall, at: number): string => typed[at] ?? toolOf(call)?.response ?? ''
  const asks = state === 'complete' && onResults !== undefined
  return (
    <form
      className={styles.round}
      onSubmit={(event) => {
        event.preventDefault()
        onResults?.(calls.map(resultOf))
      }}
    >
      {calls.map((call, at) => (
        <section key={call.id} className={styles.call} aria-label={`Call of ${call.name} by ${model}`}>
          <Called call={call} />
          {state === 'complete' && <CheckedArguments call={call} tool={toolOf(call)} />}
          {asks && (
            <Field label={`What ${call.name} answers`}>
              <Textarea
                rows={3}
                required
                className={styles.json ?? ''}
                placeholder='{"temperature": 21}'
                value={resultOf(call, at)}
                onChange={({ target }) =>
                  setTyped(calls.map((each, index) => (index === at ? target.value : resultOf(each, index))))
                }
              />
            </Field>
          )}
        </section>
      ))}
      {asks && (
        <div>
          <Button type="submit" variant="primary">
            <Icon name="play" />
            {calls.length === 1 ? 'Send the result' : 'Send the results'}
          </Button>
        </div>
      )}
    </form>
  )
}

function Called({ call: { name, arguments: given } }: { readonly call: ToolCall }) {
  return (
    <>
      <p className={styles.label}>
        Calls <code>{name}</code>
      </p>
      <CodeBlock language="JSON" code={formatted(given)} landmark={false} />
    </>
  )
}

function CheckedArguments({ call, tool }: { readonly call: ToolCall; readonly tool: ToolDraft | undefined }) {
  if (tool === undefined) return <p className={styles.problem}>There is no tool of this name.</p>
  return <SchemaCheck text={call.arguments === '' ? '{}' : call.arguments} schema={tool.parameters} what="arguments" />
}

/** Long arguments stay as the model wrote them. */
const formattedMax = 100_000

function formatted(text: string): string {
  if (text.length > formattedMax) return text
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
