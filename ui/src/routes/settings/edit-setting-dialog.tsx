/** Stores a value for a setting. The server checks it and says what it expects. */
import { useId, useState } from 'react'
import { asApiError } from '../../api/api-error.ts'
import type { Setting } from '../../api/schema.d.ts'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Field } from '../../components/field.tsx'
import { Input, Textarea } from '../../components/input.tsx'
import { useSettingChange } from './queries.ts'
import { typedText, valueOfText } from './setting-text.ts'

export function EditSettingDialog({ setting, onClose }: { readonly setting: Setting; readonly onClose: () => void }) {
  const formId = useId()
  const [text, setText] = useState(() => typedText(setting.value, setting.type))
  const saving = useSettingChange(setting.name)
  const error = saving.error === null ? null : asApiError(saving.error)
  return (
    <Dialog
      open
      onClose={onClose}
      title={setting.name}
      description={setting.sentence}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" busy={saving.isPending}>
            Store
          </Button>
        </>
      }
    >
      <form
        id={formId}
        onSubmit={(event) => {
          event.preventDefault()
          saving.mutate(valueOfText(text, setting.type), { onSuccess: onClose })
        }}
      >
        <Field
          label={setting.unit === null ? 'Value' : `Value in ${setting.unit}`}
          hint={hintOf(setting)}
          error={error?.param === 'value' ? error.message : null}
        >
          <ValueControl type={setting.type} text={text} onChange={setText} />
        </Field>
      </form>
      {error !== null && error.param !== 'value' && <ErrorNotice error={error} />}
    </Dialog>
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
