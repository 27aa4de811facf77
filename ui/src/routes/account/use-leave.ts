/** The way out after all sessions have ended: to the sign-in page, with nothing left in the cache. */
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { toast } from '../../components/toast.tsx'

export function useLeave(): (note: string) => Promise<void> {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  return async (note) => {
    await navigate({ to: '/sign-in' })
    queryClient.clear()
    toast(note)
  }
}
