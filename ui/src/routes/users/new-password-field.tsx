/** A new password to type, or one of chance; shown, because somebody has to be told it. */
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
          minLength={8}
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

// 56 signs that nobody takes for another: 20 of them have 116 bits.
const signs = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const signCount = 20

function randomPassword(): string {
  let password = ''
  while (password.length < signCount) {
    const [byte = 0] = crypto.getRandomValues(new Uint8Array(1))
    // A remainder would favour the first signs.
    if (byte < 256 - (256 % signs.length)) password += signs.charAt(byte % signs.length)
  }
  return password
}
