/** A dialog over the page. What draws it loads when the first dialog opens, or before that by `preload`. */
import { useState, type ReactNode } from 'react'
import { LatePart } from './late-part.tsx'
import { lazyPart } from './lazy-part.tsx'

export interface DialogProps {
  readonly open: boolean
  readonly onClose: () => void
  readonly title: string
  readonly description?: ReactNode
  readonly children: ReactNode
  /** Buttons, the main one last. */
  readonly actions?: ReactNode
  /** Only its buttons close it: for content that must not be lost by accident. */
  readonly persistent?: boolean
  readonly size?: 'medium' | 'large'
  /** `side`: a panel at the right edge of the window, for details of a row. */
  readonly placement?: 'center' | 'side'
}

const DialogBox = lazyPart(() => import('./dialog-box.tsx'), 'DialogBox')

/** A dialog that was open stays in the page, so that it can give the focus back when it closes. */
export function Dialog(props: DialogProps) {
  const [wasOpen, setWasOpen] = useState(props.open)
  if (props.open && !wasOpen) setWasOpen(true)
  if (!wasOpen) return null
  return (
    <LatePart onClose={props.onClose}>
      <DialogBox {...props} />
    </LatePart>
  )
}

Dialog.preload = DialogBox.preload
