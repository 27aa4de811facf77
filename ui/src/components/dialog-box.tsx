/** A dialog over the page. The focus moves in, stays in, and returns. Escape closes it, unless it is persistent. */
import { Dialog as Base } from '@base-ui/react/dialog'
import { useRef } from 'react'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'
import type { DialogProps } from './dialog.tsx'
import styles from './dialog.module.css'

export function DialogBox(props: DialogProps) {
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
