/** Asks at sign-out whether the conversations and presets of the user stay in this browser. */
import { Button } from '../components/button.tsx'
import { Dialog } from '../components/dialog.tsx'
import { countText } from '../components/format.ts'
import type { KeptKind } from '../routes/playground/chat/kept-place.ts'

export type SignOutChoice = 'keep' | 'delete'

export interface SignOutDialogProps {
  readonly kept: Readonly<Record<KeptKind, number>>
  readonly busy: boolean
  readonly onChoice: (choice: SignOutChoice) => void
  readonly onClose: () => void
}

export function SignOutDialog({ kept, busy, onChoice, onClose }: SignOutDialogProps) {
  const parts = [
    ...(kept.conversation > 0 ? [countText(kept.conversation, 'conversation')] : []),
    ...(kept.preset > 0 ? [countText(kept.preset, 'preset')] : []),
  ]
  return (
    <Dialog
      open
      onClose={onClose}
      title="Sign out"
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button busy={busy} onClick={() => onChoice('keep')}>
            Keep them and sign out
          </Button>
          <Button variant="danger" busy={busy} onClick={() => onChoice('delete')}>
            Delete them and sign out
          </Button>
        </>
      }
    >
      <p>
        This browser keeps {parts.join(' and ')} of your playground. On a computer that you share, delete them: others
        could read them. On your own, keep them for your next sign-in.
      </p>
    </Dialog>
  )
}
