/** The session, for components inside the shell: its routes load after the session is known. */
import { useSuspenseQuery } from '@tanstack/react-query'
import type { AnswerOf } from '../api/client.ts'
import { sessionQuery } from '../api/queries.ts'

export type Session = AnswerOf<'GET /admin/api/v1/session'>

export function useSession(): Session {
  return useSuspenseQuery(sessionQuery).data
}

/** True for administrators. The server checks every request again. */
export function useIsAdmin(): boolean {
  return useSession().user.role === 'admin'
}
