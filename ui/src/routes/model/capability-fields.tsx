/** The capabilities of a model. They are shown to users; requests to other endpoints are still forwarded. */
import { Field, FieldGroup } from '../../components/field.tsx'
import { Checkbox, Select } from '../../components/input.tsx'
import { Panel } from '../../components/panel.tsx'
import { NumberField } from '../../components/text-field.tsx'
import type { TriState } from './model-draft.ts'
import type { FieldsProps } from './fields-props.ts'
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
  'images/variations',
  'audio/transcriptions',
  'audio/translations',
  'audio/speech',
  'realtime',
] as const
const inputs = ['text', 'image', 'audio', 'video', 'file'] as const

export function CapabilityFields({ draft, change }: FieldsProps) {
  return (
    <Panel title="Capabilities">
      <div className={styles.fields}>
        <NumberField
          label="Context length"
          hint="In tokens. Leave empty if unknown."
          param="context_length"
          min={1}
          value={draft.contextLength}
          onChange={(contextLength) => change({ contextLength })}
        />
        <ValueChoice
          label="Endpoints"
          known={endpoints}
          chosen={draft.endpoints}
          param="capabilities.endpoints"
          onChange={(chosen) => change({ endpoints: chosen })}
        />
        <ValueChoice
          label="Input"
          known={inputs}
          chosen={draft.input}
          param="capabilities.input"
          onChange={(chosen) => change({ input: chosen })}
        />
        <div className={styles.columns}>
          <TriStateField label="Tools" value={draft.tools} onChange={(tools) => change({ tools })} />
          <TriStateField
            label="JSON schema"
            value={draft.jsonSchema}
            onChange={(jsonSchema) => change({ jsonSchema })}
          />
          <TriStateField label="Reasoning" value={draft.reasons} onChange={(reasons) => change({ reasons })} />
        </div>
      </div>
    </Panel>
  )
}

interface ValueChoiceProps {
  readonly label: string
  readonly known: readonly string[]
  readonly chosen: readonly string[]
  readonly param: string
  readonly onChange: (chosen: readonly string[]) => void
}

/** A choice of known values, and of the other values that the model has. */
function ValueChoice({ label, known, chosen, param, onChange }: ValueChoiceProps) {
  const words = [...known, ...chosen.filter((word) => !known.includes(word))]
  return (
    <FieldGroup label={label} hint="None chosen means unknown." param={param}>
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

interface TriStateFieldProps {
  readonly label: string
  readonly value: TriState
  readonly onChange: (value: TriState) => void
}

function TriStateField({ label, value, onChange }: TriStateFieldProps) {
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
