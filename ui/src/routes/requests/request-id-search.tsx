/** Opens a request by the id that its answer and every error show. */
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Input } from '../../components/input.tsx'

export function RequestIdSearch() {
  const navigate = useNavigate()
  const [typed, setTyped] = useState('')
  const id = typed.trim()
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (id !== '') void navigate({ to: '/requests/$id', params: { id } })
      }}
    >
      <Input
        type="search"
        aria-label="Request id"
        placeholder="Request id, then Enter"
        enterKeyHint="go"
        value={typed}
        maxLength={128}
        onChange={(event) => setTyped(event.target.value)}
      />
    </form>
  )
}
