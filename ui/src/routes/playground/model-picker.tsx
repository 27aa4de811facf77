/** A choice of a model, found by name, alias, provider or description. */
import type { UsableModel } from '../../api/schema.d.ts'
import { Combobox } from '../../components/combobox.tsx'
import { Field } from '../../components/field.tsx'

export interface ModelPickerProps {
  readonly label: string
  readonly models: readonly UsableModel[]
  readonly value: string | null
  readonly onChange: (name: string) => void
}

export function ModelPicker({ label, models, value, onChange }: ModelPickerProps) {
  const options = models.map(({ name, aliases, provider, description }) => ({
    value: name,
    note: provider,
    keywords: [...aliases, description],
  }))
  return (
    <Field label={label}>
      <Combobox label={label} options={options} value={value} onChange={onChange} placeholder="Choose a model" />
    </Field>
  )
}
