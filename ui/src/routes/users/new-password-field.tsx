/** A field for a new password, typed or generated. It is visible, because the administrator must pass it on. */
import { Button } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Field, type FieldProps } from '../../components/field.tsx'
import { Input } from '../../components/input.tsx'
import styles from './new-password-field.module.css'

export interface NewPasswordFieldProps extends Pick<FieldProps, 'label' | 'hint'> {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly required?: boolean
}

export function NewPasswordField({ value, onChange, required = false, ...field }: NewPasswordFieldProps) {
  return (
    <Field {...field} param="password">
      <div className={styles.row}>
        <Input
          value={value}
          required={required}
          minLength={12}
          maxLength={1024}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => onChange(event.target.value)}
        />
        <Button onClick={() => onChange(randomPassword())}>Generate</Button>
        {value !== '' && <CopyButton text={value} what="password" />}
      </div>
    </Field>
  )
}

// 56 characters that are easy to tell apart; 20 of them have 116 bits.
const characters = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const length = 20

function randomPassword(): string {
  let password = ''
  while (password.length < length) {
    const [byte = 0] = crypto.getRandomValues(new Uint8Array(1))
    // Higher bytes would make the first characters more likely.
    if (byte < 256 - (256 % characters.length)) password += characters.charAt(byte % characters.length)
  }
  return password
}
