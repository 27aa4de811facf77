/** The functions that models may call, and the format of their answers: lists, and buttons to the dialogs that edit them. */
import { useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { Field, FieldGroup } from '../../../components/field.tsx'
import { Icon } from '../../../components/icon.tsx'
import { Select } from '../../../components/input.tsx'
import { LatePart } from '../../../components/late-part.tsx'
import { lazyPart } from '../../../components/lazy-part.tsx'
import styles from './chat-settings.module.css'
import { answerFormats, type AnswerFormat, type ChatSettings } from './chat-settings-values.ts'

export interface ToolSettingsProps {
  readonly settings: ChatSettings
  readonly onChange: (settings: Partial<ChatSettings>) => void
}

// These load when their button is pressed.
const ToolDialog = lazyPart(() => import('./tool-dialog.tsx'), 'ToolDialog')
const SchemaDialog = lazyPart(() => import('./tool-dialog.tsx'), 'SchemaDialog')

export function ToolSettings({ settings: { tools, toolChoice }, onChange }: ToolSettingsProps) {
  /** The place of the edited function; the number of functions for another one. */
  const [edited, setEdited] = useState<number | null>(null)
  const close = (): void => setEdited(null)
  return (
    <>
      <FieldGroup label="Tools">
        {tools.length > 0 && (
          <ul className={styles.tools} aria-label="Tools">
            {tools.map(({ name }, at) => (
              <li key={name} className={styles.tool}>
                <code>{name}</code>
                <Button
                  variant="quiet"
                  icon
                  aria-label={`Edit the tool ${name}`}
                  title="Edit"
                  onClick={() => setEdited(at)}
                >
                  <Icon name="edit" />
                </Button>
                <Button
                  variant="quiet"
                  icon
                  aria-label={`Remove the tool ${name}`}
                  title="Remove"
                  onClick={() => onChange({ tools: tools.toSpliced(at, 1) })}
                >
                  <Icon name="trash" />
                </Button>
              </li>
            ))}
          </ul>
        )}
        <div>
          <Button onClick={() => setEdited(tools.length)}>
            <Icon name="plus" />
            Add a tool
          </Button>
        </div>
        <LatePart onClose={close}>
          {edited !== null && (
            <ToolDialog
              tool={tools[edited]}
              others={tools.filter((_, at) => at !== edited).map(({ name }) => name)}
              onSave={(tool) => onChange({ tools: tools.toSpliced(edited, 1, tool) })}
              onClose={close}
            />
          )}
        </LatePart>
      </FieldGroup>
      {tools.length > 0 && (
        <Field label="The model calls">
          <Select value={toolChoice} onChange={({ target }) => onChange({ toolChoice: target.value })}>
            <option value="auto">what it needs</option>
            <option value="required">at least one tool</option>
            <option value="none">no tool</option>
            {tools.map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </Select>
        </Field>
      )}
    </>
  )
}

const formatLabels: Readonly<Record<AnswerFormat, string>> = {
  text: 'text',
  json_object: 'a JSON object',
  json_schema: 'JSON of a schema',
}

export function FormatSettings({ settings: { format, schema }, onChange }: ToolSettingsProps) {
  const [edited, setEdited] = useState(false)
  const close = (): void => setEdited(false)
  return (
    <>
      <Field label="Format of the answer">
        <Select
          value={format}
          onChange={({ target }) => {
            const chosen = answerFormats.find((each) => each === target.value) ?? 'text'
            onChange({ format: chosen })
            if (chosen === 'json_schema' && schema === '') setEdited(true)
          }}
        >
          {answerFormats.map((each) => (
            <option key={each} value={each}>
              {formatLabels[each]}
            </option>
          ))}
        </Select>
      </Field>
      {format === 'json_schema' && (
        <div>
          <Button onClick={() => setEdited(true)}>
            <Icon name="edit" />
            Edit the schema
          </Button>
          {schema === '' && <p className={styles.note}>Without a schema the answer is text.</p>}
        </div>
      )}
      <LatePart onClose={close}>
        {edited && <SchemaDialog schema={schema} onSave={(next) => onChange({ schema: next })} onClose={close} />}
      </LatePart>
    </>
  )
}
