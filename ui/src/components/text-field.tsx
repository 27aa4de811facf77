/** A labelled line of text, number or password. */
import type { ComponentPropsWithRef } from 'react'
import { Field, type FieldProps } from './field.tsx'
import { Input, Textarea } from './input.tsx'

type InputProps = Omit<ComponentPropsWithRef<'input'>, 'id' | 'value' | 'onChange' | 'children'>

export interface TextFieldProps extends Omit<FieldProps, 'children'>, InputProps {
  readonly value: string
  readonly onChange: (text: string) => void
}

export function TextField({ label, hint, param, error, onChange, ...input }: TextFieldProps) {
  return (
    <Field label={label} hint={hint} param={param} error={error}>
      {/* Autofill would enter data of the person at the keyboard, not of the record. */}
      <Input autoComplete="off" {...input} onChange={(event) => onChange(event.target.value)} />
    </Field>
  )
}

/** A number as it is typed. */
export function NumberField(props: TextFieldProps) {
  return <TextField type="number" step={1} {...props} />
}

export interface NameFieldsProps {
  readonly name: string
  readonly description: string
  readonly nameHint?: string | undefined
  readonly onChange: (fields: { readonly name: string } | { readonly description: string }) => void
}

/** The name and the optional description of a record. */
export function NameFields({ name, description, nameHint, onChange }: NameFieldsProps) {
  return (
    <>
      <TextField
        label="Name"
        param="name"
        required
        maxLength={200}
        value={name}
        hint={nameHint}
        onChange={(next) => onChange({ name: next })}
      />
      <Field label="Description (optional)" param="description">
        <Textarea
          rows={2}
          maxLength={2000}
          autoComplete="off"
          value={description}
          onChange={(event) => onChange({ description: event.target.value })}
        />
      </Field>
    </>
  )
}
