/** Acts on the keyboard shortcuts while the shell is shown. */
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { onOpenShortcuts } from './open-shortcuts.ts'
import { ShortcutReader } from './shortcuts.ts'

/** Whether the list of shortcuts is open, and a function that opens and closes it. */
export function useShortcuts(): readonly [boolean, (open: boolean) => void] {
  const navigate = useNavigate()
  const [open, setOpen] = useState(false)
  useEffect(() => {
    const reader = new ShortcutReader()
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isBusy(event.target)) return
      const shortcut = reader.read(event.key, event.timeStamp)
      if (shortcut === null) return
      event.preventDefault()
      if (shortcut.kind === 'list') setOpen(true)
      else if (shortcut.kind === 'go') void navigate({ to: shortcut.path })
      else firstField()?.focus()
    }
    const end = onOpenShortcuts(() => setOpen(true))
    window.addEventListener('keydown', onKeyDown)
    return () => {
      end()
      window.removeEventListener('keydown', onKeyDown)
    }
  }, [navigate])
  return [open, setOpen]
}

/** The search of the page, or what it has in place of one. Hidden tabs have theirs, too. */
function firstField(): HTMLElement | undefined {
  const all = document.querySelectorAll<HTMLElement>('#main :is(input[type=search], [data-first-field])')
  return [...all].find((each) => each.checkVisibility())
}

/** A person types, or a dialog or a menu has the keys. */
function isBusy(target: EventTarget | null): boolean {
  const typing = 'input, textarea, select, [contenteditable=true], [role=combobox], [role=menu]'
  return (
    (target instanceof Element && target.closest(typing) !== null) ||
    document.querySelector('[role=dialog], [role=alertdialog], [role=menu]') !== null
  )
}
