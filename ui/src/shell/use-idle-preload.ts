/** Loads what draws dialogs, menus and lists of choices while the browser is idle, so that the first one opens at once. */
import { useEffect } from 'react'
import { Combobox } from '../components/combobox.tsx'
import { Dialog } from '../components/dialog.tsx'
import { Menu } from '../components/menu.tsx'

const waitMs = 5000

export function useIdlePreload(): void {
  useEffect(() => {
    const preload = (): void => void Promise.all([Dialog, Menu, Combobox].map((each) => each.preload()))
    // Safari has no idle callback.
    if (!('requestIdleCallback' in window)) return
    const idle = requestIdleCallback(preload, { timeout: waitMs })
    return () => cancelIdleCallback(idle)
  }, [])
}
