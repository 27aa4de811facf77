/** Edits the value of a setting. The server validates it. */
import { useState } from 'react'
import type { Setting } from '../../api/schema.d.ts'
import { Field } from '../../components/field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { Input, Textarea } from '../../components/input.tsx'
import { useSettingChange } from './queries.ts'
import { editableText, parseValue } from './setting-text.ts'
import { titleOfSetting } from './setting-titles.ts'

export interface EditSettingDialogProps {
  readonly setting: Setting
  readonly onClose: () => void
}

export function EditSettingDialog({ setting, onClose }: EditSettingDialogProps) {
  const [text, setText] = useState(() => editableText(setting.value, setting.type))
  // What the text was made of: the list may be read again in the meantime.
  const [base] = useState(setting)
  const saving = useSettingChange(base)
  async function save(): Promise<void> {
    await saving.mutateAsync(parseValue(text, setting.type))
    onClose()
  }
  return (
    <FormDialog
      onClose={onClose}
      title={titleOfSetting(setting.name)}
      description={setting.sentence}
      submitLabel="Save"
      onSubmit={save}
    >
      <Field label={setting.unit === null ? 'Value' : `Value in ${setting.unit}`} hint={hintOf(setting)} param="value">
        <ValueControl type={setting.type} text={text} onChange={setText} />
      </Field>
    </FormDialog>
  )
}

interface ValueControlProps {
  readonly type: string
  readonly text: string
  readonly onChange: (text: string) => void
}

function ValueControl({ type, text, onChange }: ValueControlProps) {
  switch (type) {
    case 'list':
    case 'integers':
    case 'map':
      return <Textarea rows={4} spellCheck={false} value={text} onChange={(event) => onChange(event.target.value)} />
    case 'secret':
      return (
        <Input
          type="password"
          required
          autoComplete="new-password"
          value={text}
          onChange={(event) => onChange(event.target.value)}
        />
      )
    default:
      return (
        <Input
          required
          autoComplete="off"
          inputMode={type === 'string' ? 'text' : 'decimal'}
          value={text}
          onChange={(event) => onChange(event.target.value)}
        />
      )
  }
}

function hintOf({ type, expected }: Setting): string {
  const sentence = `${expected.charAt(0).toUpperCase()}${expected.slice(1)}`.replace(/ \(in the environment.*\)$/, '')
  switch (type) {
    case 'list':
    case 'integers':
      return `${sentence}, one on each line.`
    case 'map':
      return `${sentence}: one "name = text" on each line.`
    default:
      return `${sentence}.`
  }
}
