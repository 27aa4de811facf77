/** One user of all, found by a part of the e-mail address. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { User } from '../../api/schema.d.ts'
import { Combobox } from '../../components/combobox.tsx'
import { someUsersQuery } from './queries.ts'

export interface UserPickerProps {
  readonly label: string
  readonly value: User | null
  readonly onChange: (user: User) => void
}

export function UserPicker({ label, value, onChange }: UserPickerProps) {
  const [typed, setTyped] = useState('')
  const { data: users = [] } = useQuery(someUsersQuery(typed.trim()))
  return (
    <Combobox
      label={label}
      placeholder="Choose a user…"
      options={users.map(({ email, name }) => ({ value: email, ...(name !== '' && { note: name }) }))}
      value={value?.email ?? null}
      onChange={(email) => {
        const user = users.find((each) => each.email === email)
        if (user !== undefined) onChange(user)
      }}
      onSearch={setTyped}
    />
  )
}
