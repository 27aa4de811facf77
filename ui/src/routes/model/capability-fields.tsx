/** What the model can do, as far as it is known: shown to users; requests for other endpoints are still sent on. */
import { Field, FieldGroup } from '../../components/field.tsx'
import { Checkbox, Select } from '../../components/input.tsx'
import { Panel } from '../../components/panel.tsx'
import { NumberField } from '../../components/text-field.tsx'
import type { Known } from './draft.ts'
import type { FieldsProps } from './fields.ts'
import styles from './model-form.module.css'

const endpoints = [
  'chat/completions',
  'completions',
  'responses',
  'messages',
  'embeddings',
  'rerank',
  'moderations',
  'images/generations',
  'images/edits',
  'audio/transcriptions',
  'audio/speech',
] as const
const inputs = ['text', 'image', 'audio', 'video', 'file'] as const

export function CapabilityFields({ draft, change }: FieldsProps) {
  return (
    <Panel title="What it can do">
      <div className={styles.fields}>
        <NumberField
          label="Context length"
          hint="In tokens. Leave empty if unknown."
          param="context_length"
          min={1}
          value={draft.contextLength}
          onChange={(contextLength) => change({ contextLength })}
        />
        <Words
          label="Endpoints"
          known={endpoints}
          chosen={draft.endpoints}
          param="capabilities.endpoints"
          onChange={(chosen) => change({ endpoints: chosen })}
        />
        <Words
          label="Takes as input"
          known={inputs}
          chosen={draft.input}
          param="capabilities.input"
          onChange={(chosen) => change({ input: chosen })}
        />
        <div className={styles.columns}>
          <KnownField label="Tools" value={draft.tools} onChange={(tools) => change({ tools })} />
          <KnownField label="JSON schema" value={draft.jsonSchema} onChange={(jsonSchema) => change({ jsonSchema })} />
          <KnownField label="Reasoning" value={draft.reasons} onChange={(reasons) => change({ reasons })} />
        </div>
      </div>
    </Panel>
  )
}

interface WordsProps {
  readonly label: string
  readonly known: readonly string[]
  readonly chosen: readonly string[]
  readonly param: string
  readonly onChange: (chosen: readonly string[]) => void
}

/** The words that are known here, and those that the model has besides. */
function Words({ label, known, chosen, param, onChange }: WordsProps) {
  const words = [...known, ...chosen.filter((word) => !known.includes(word))]
  return (
    <FieldGroup label={label} hint="None chosen: unknown." param={param}>
      <div className={styles.words}>
        {words.map((word) => (
          <Checkbox
            key={word}
            label={word}
            checked={chosen.includes(word)}
            onChange={(event) =>
              onChange(event.target.checked ? [...chosen, word] : chosen.filter((each) => each !== word))
            }
          />
        ))}
      </div>
    </FieldGroup>
  )
}

interface KnownFieldProps {
  readonly label: string
  readonly value: Known
  readonly onChange: (value: Known) => void
}

function KnownField({ label, value, onChange }: KnownFieldProps) {
  return (
    <Field label={label}>
      <Select
        value={value}
        onChange={(event) => onChange(event.target.value === 'yes' ? 'yes' : event.target.value === 'no' ? 'no' : '')}
      >
        <option value="">Unknown</option>
        <option value="yes">Yes</option>
        <option value="no">No</option>
      </Select>
    </Field>
  )
}
