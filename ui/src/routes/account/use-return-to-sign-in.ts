/** Opens the sign-in page and forgets what this tab has read and shown, after all sessions have ended. */
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { toast } from '../../components/toast.tsx'
import { useSession } from '../../shell/use-session.ts'
import { forgetChat } from '../playground/chat/stored-chat.ts'

export function useReturnToSignIn(): (note: string) => Promise<void> {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const { user } = useSession()
  return async (note) => {
    forgetChat(user.id)
    await navigate({ to: '/sign-in' })
    queryClient.clear()
    toast(note)
  }
}
