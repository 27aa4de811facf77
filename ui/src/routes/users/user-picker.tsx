/** Finds one user by a part of the name or the e-mail address. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { User } from '../../api/schema.d.ts'
import type { ComboboxOption, ComboboxProps } from '../../components/combobox.tsx'
import { Combobox } from '../../components/combobox.tsx'
import { userChoicesMax, userChoicesQuery } from './queries.ts'

export interface UserPickerProps {
  readonly label: string
  readonly value: User | null
  readonly onChange: (user: User) => void
}

export function UserPicker({ label, value, onChange }: UserPickerProps) {
  const { userOf, ...search } = useUserSearch()
  return (
    <Combobox
      {...search}
      label={label}
      placeholder="Choose a user…"
      value={value?.email ?? null}
      onChange={(email) => {
        const user = userOf(email)
        if (user !== undefined) onChange(user)
      }}
    />
  )
}

interface UserSearch extends Required<Pick<ComboboxProps, 'options' | 'onSearch'>>, Pick<ComboboxProps, 'note'> {
  readonly userOf: (email: string | undefined) => User | undefined
}

/** The users that match the text in a combobox. The server searches. */
export function useUserSearch(): UserSearch {
  const [typed, setTyped] = useState('')
  const { data } = useQuery(userChoicesQuery(typed.trim()))
  const users = data?.users ?? []
  return {
    options: users.map(({ email, name }): ComboboxOption => ({ value: email, ...(name !== '' && { note: name }) })),
    onSearch: setTyped,
    note:
      data?.hasMore === true
        ? `The first ${userChoicesMax} users. Type a part of the name or address to find others.`
        : undefined,
    userOf: (email) => users.find((user) => user.email === email),
  }
}
