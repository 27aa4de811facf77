/** A dialog over the page. The focus moves in, stays in, and returns. Escape closes it, unless it is persistent. */
import { Dialog as Base } from '@base-ui/react/dialog'
import { useRef, type ReactNode } from 'react'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'
import styles from './dialog.module.css'

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

export function Dialog(props: DialogProps) {
  const {
    open,
    onClose,
    title,
    description,
    children,
    actions,
    persistent = false,
    size = 'medium',
    placement = 'center',
  } = props
  const popup = useRef<HTMLDivElement>(null)
  return (
    <Base.Root
      open={open}
      disablePointerDismissal={persistent}
      onOpenChange={(next, { reason }) => {
        if (!next && !(persistent && reason === 'escape-key')) onClose()
      }}
    >
      <Base.Portal>
        <Base.Backdrop className={styles.backdrop} />
        <Base.Viewport className={`${styles.viewport} ${styles[placement]}`}>
          <Base.Popup
            ref={popup}
            className={`${styles.popup} ${styles[size]}`}
            initialFocus={() => firstFocus(popup.current)}
          >
            <header className={styles.header}>
              <Base.Title className={styles.title}>{title}</Base.Title>
              {!persistent && (
                <Base.Close render={<Button variant="quiet" icon aria-label="Close" />}>
                  <Icon name="close" />
                </Base.Close>
              )}
            </header>
            <div className={styles.body}>
              {description !== undefined && (
                <Base.Description className={styles.description} render={<div />}>
                  {description}
                </Base.Description>
              )}
              {children}
            </div>
            {actions !== undefined && actions !== false && <footer className={styles.actions}>{actions}</footer>}
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  )
}

/** The first field; without fields the first button below, which cancels. Never the button that closes. */
function firstFocus(popup: HTMLElement | null): HTMLElement | true {
  const fields = 'input:not([type=hidden], :disabled), select:enabled, textarea:enabled, [role=combobox]'
  const inBody = popup?.querySelector<HTMLElement>(`:scope > div :is(${fields})`)
  return inBody ?? popup?.querySelector<HTMLElement>(':scope > footer button:enabled') ?? true
}
