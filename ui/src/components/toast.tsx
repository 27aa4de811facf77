/**
 * Short confirmations in a corner of the window. Errors are shown beside the action that failed, not
 * here. The component library's toasts would add 30 KB to the first load.
 */
import { useEffect, useSyncExternalStore } from 'react'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'
import styles from './toast.module.css'

interface Toast {
  readonly id: number
  readonly text: string
}

const shownMs = 4000
const shownMax = 3

let toasts: readonly Toast[] = []
let lastId = 0
const listeners = new Set<() => void>()

/** Shows a confirmation for four seconds. */
export function toast(text: string): void {
  change([...toasts, { id: (lastId += 1), text }].slice(-shownMax))
}

/** The region that shows the toasts. It stays in the page while empty, so that screen readers announce changes. */
export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts)
  return (
    <div role="status" aria-live="polite" className={styles.viewport}>
      {shown.map((each) => (
        <ToastNote key={each.id} {...each} />
      ))}
    </div>
  )
}

function ToastNote({ id, text }: Toast) {
  useEffect(() => {
    const timer = setTimeout(() => close(id), shownMs)
    return () => clearTimeout(timer)
  }, [id])
  return (
    <div className={styles.toast}>
      <Icon name="check" />
      <p className={styles.text}>{text}</p>
      <Button variant="quiet" icon aria-label="Close the message" onClick={() => close(id)}>
        <Icon name="close" />
      </Button>
    </div>
  )
}

function close(id: number): void {
  change(toasts.filter((each) => each.id !== id))
}

function change(next: readonly Toast[]): void {
  toasts = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
