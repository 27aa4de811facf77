/** The name, aliases, description and state of a model. */
import { Field } from '../../components/field.tsx'
import { Textarea } from '../../components/input.tsx'
import { Panel } from '../../components/panel.tsx'
import { Switch } from '../../components/switch.tsx'
import { TextField } from '../../components/text-field.tsx'
import { TagInput } from '../../components/tag-input.tsx'
import type { FieldsProps } from './fields-props.ts'
import styles from './model-form.module.css'

export function GeneralFields({ draft, change }: FieldsProps) {
  return (
    <Panel title="General">
      <div className={styles.fields}>
        <TextField
          label="Name"
          hint="The name in requests. Case matters."
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
          hint="Other names of the model. Press Enter to add one. Names and aliases are unique."
          param="aliases"
        >
          <TagInput
            what="alias"
            placeholder="gpt-4o-mini"
            words={draft.aliases}
            onChange={(aliases) => change({ aliases })}
          />
        </Field>
        <Field label="Description" hint="Shown to users of the model." param="description">
          <Textarea
            rows={2}
            maxLength={2000}
            value={draft.description}
            onChange={(event) => change({ description: event.target.value })}
          />
        </Field>
        <Switch label="Active" checked={draft.active} onChange={(active) => change({ active })} />
      </div>
    </Panel>
  )
}
