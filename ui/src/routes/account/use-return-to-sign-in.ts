/** Opens the sign-in page and clears the cache, after all sessions have ended. */
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { toast } from '../../components/toast.tsx'

export function useReturnToSignIn(): (note: string) => Promise<void> {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  return async (note) => {
    await navigate({ to: '/sign-in' })
    queryClient.clear()
    toast(note)
  }
}
