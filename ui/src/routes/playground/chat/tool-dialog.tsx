/** The dialogs in which a function for models, and the JSON schema of an answer, are edited. */
import { useState } from 'react'
import { Field } from '../../../components/field.tsx'
import { FormDialog } from '../../../components/form-dialog.tsx'
import { Textarea } from '../../../components/input.tsx'
import { TextField } from '../../../components/text-field.tsx'
import { nameProblem, newTool, schemaProblem, type ToolDraft } from './tool-draft.ts'
import styles from './tool-dialog.module.css'

export interface ToolDialogProps {
  /** Undefined for another one. */
  readonly tool: ToolDraft | undefined
  /** The names of the others. */
  readonly others: readonly string[]
  readonly onSave: (tool: ToolDraft) => void
  readonly onClose: () => void
}

export function ToolDialog({ tool, others, onSave, onClose }: ToolDialogProps) {
  const [draft, setDraft] = useState(tool ?? newTool)
  const change = (fields: Partial<ToolDraft>): void => setDraft({ ...draft, ...fields })
  const name = nameProblem(draft.name, others)
  const schema = schemaProblem(draft.parameters)
  return (
    <FormDialog
      size="large"
      title={tool === undefined ? 'Add a tool' : `Edit the tool ${tool.name}`}
      description="A function that the model may call. Nothing runs: you write what it answers."
      submitLabel="Save"
      disabled={name !== null || schema !== null}
      onSubmit={async () => {
        onSave({ ...draft, description: draft.description.trim() })
        onClose()
      }}
      onClose={onClose}
    >
      <TextField
        label="Name"
        required
        placeholder="get_weather"
        value={draft.name}
        error={draft.name === '' ? null : name}
        onChange={(typed) => change({ name: typed.trim() })}
      />
      <TextField
        label="What it does"
        placeholder="The weather of a city now"
        hint="The model decides by this when to call it."
        value={draft.description}
        onChange={(description) => change({ description })}
      />
      <JsonField
        label="Parameters (JSON schema)"
        value={draft.parameters}
        error={schema}
        onChange={(parameters) => change({ parameters })}
      />
      <Field
        label="Answer of every call (optional)"
        hint="The conversation goes on with it at once. When empty, you type the answer of each call."
      >
        <Textarea rows={3} value={draft.response} onChange={({ target }) => change({ response: target.value })} />
      </Field>
    </FormDialog>
  )
}

const exampleSchema = `{
  "type": "object",
  "properties": {
    "summary": { "type": "string" },
    "score": { "type": "integer", "minimum": 1, "maximum": 5 }
  },
  "required": ["summary", "score"],
  "additionalProperties": false
}`

export interface SchemaDialogProps {
  readonly schema: string
  readonly onSave: (schema: string) => void
  readonly onClose: () => void
}

export function SchemaDialog({ schema, onSave, onClose }: SchemaDialogProps) {
  const [typed, setTyped] = useState(schema === '' ? exampleSchema : schema)
  const problem = schemaProblem(typed)
  return (
    <FormDialog
      size="large"
      title="Schema of the answer"
      description="The model is asked for JSON that follows the schema. Each answer is checked against it."
      submitLabel="Save"
      disabled={problem !== null}
      onSubmit={async () => {
        onSave(typed)
        onClose()
      }}
      onClose={onClose}
    >
      <JsonField label="JSON schema" value={typed} error={problem} onChange={setTyped} />
    </FormDialog>
  )
}

interface JsonFieldProps {
  readonly label: string
  readonly value: string
  readonly error: string | null
  readonly onChange: (text: string) => void
}

function JsonField({ label, value, error, onChange }: JsonFieldProps) {
  return (
    <Field label={label} error={error}>
      <Textarea
        className={styles.json ?? ''}
        rows={Math.min(18, value.split('\n').length + 1)}
        spellCheck={false}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    </Field>
  )
}
