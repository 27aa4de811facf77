/** What callers see of a model: its names, what is said about it, whether it answers at all. */
import { Field } from '../../components/field.tsx'
import { Textarea } from '../../components/input.tsx'
import { Panel } from '../../components/panel.tsx'
import { Switch } from '../../components/switch.tsx'
import { TextField } from '../../components/text-field.tsx'
import { WordsInput } from '../../components/words-input.tsx'
import type { FieldsProps } from './fields.ts'
import styles from './model-form.module.css'

export function GeneralFields({ draft, change }: FieldsProps) {
  return (
    <Panel title="General">
      <div className={styles.fields}>
        <TextField
          label="Name"
          hint="What requests ask for. Case matters."
          param="name"
          required
          maxLength={200}
          pattern="\S+"
          spellCheck={false}
          value={draft.name}
          onChange={(name) => change({ name })}
        />
        <Field
          label="Aliases"
          hint="Other names of the same model. Enter adds one. No name or alias exists twice."
          param="aliases"
        >
          <WordsInput
            what="alias"
            placeholder="gpt-4o-mini"
            words={draft.aliases}
            onChange={(aliases) => change({ aliases })}
          />
        </Field>
        <Field label="Description" hint="Shown to whoever may use it." param="description">
          <Textarea
            rows={2}
            maxLength={2000}
            value={draft.description}
            onChange={(event) => change({ description: event.target.value })}
          />
        </Field>
        <Switch
          label="Active: requests are answered"
          checked={draft.active}
          onChange={(active) => change({ active })}
        />
      </div>
    </Panel>
  )
}
