/**
 * Tabs: several views, one visible at a time. Arrow keys, Home and End move between them, Enter or Space opens one:
 * https://www.w3.org/WAI/ARIA/apg/patterns/tabs/
 */
import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react'
import { LatePart } from './late-part.tsx'
import styles from './tabs.module.css'

export interface Tab {
  readonly value: string
  readonly label: string
  /** May be a part that loads when its tab is opened. */
  readonly content: ReactNode
}

export interface TabsProps {
  readonly label: string
  readonly tabs: readonly Tab[]
  /** The open tab, when the caller stores it, for example in the address. */
  readonly value?: string
  readonly onChange?: (value: string) => void
  /** Hidden tabs stay mounted, so that their work continues. */
  readonly keepMounted?: boolean
}

export function Tabs({ label, tabs, value, onChange, keepMounted = false }: TabsProps) {
  const id = useId()
  const [chosen, setChosen] = useState(tabs[0]?.value)
  const open = value ?? chosen
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => showOpenTab(list.current), [open])
  return (
    <div className={styles.root}>
      <div ref={list} role="tablist" aria-label={label} className={styles.list} onKeyDown={moveFocus}>
        {tabs.map((tab) => (
          <button
            key={tab.value}
            type="button"
            role="tab"
            id={`${id}-tab-${tab.value}`}
            aria-selected={tab.value === open}
            // Only a panel that exists can be named.
            aria-controls={keepMounted || tab.value === open ? `${id}-${tab.value}` : undefined}
            tabIndex={tab.value === open ? 0 : -1}
            className={styles.tab}
            onClick={() => {
              setChosen(tab.value)
              if (tab.value !== open) onChange?.(tab.value)
            }}
          >
            {tab.label}
          </button>
        ))}
      </div>
      {tabs
        .filter((tab) => keepMounted || tab.value === open)
        .map((tab) => (
          <div
            key={tab.value}
            role="tabpanel"
            id={`${id}-${tab.value}`}
            aria-labelledby={`${id}-tab-${tab.value}`}
            tabIndex={0}
            hidden={tab.value !== open}
            className={styles.panel}
          >
            <LatePart>{tab.content}</LatePart>
          </div>
        ))}
    </div>
  )
}

/** Where the tabs are wider than the window, an address may open one that is outside of it. */
function showOpenTab(list: HTMLElement | null): void {
  const tab = list?.querySelector<HTMLElement>('[aria-selected=true]')
  if (!list || !tab) return
  const outside = tab.offsetLeft + tab.offsetWidth - (list.offsetLeft + list.clientWidth)
  if (outside > 0) list.scrollLeft = outside
}

function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const all = [...event.currentTarget.querySelectorAll<HTMLElement>('[role=tab]')]
  const at = all.findIndex((tab) => tab === document.activeElement)
  const steps: Readonly<Record<string, number>> = {
    ArrowRight: at + 1,
    ArrowLeft: at - 1 + all.length,
    Home: 0,
    End: all.length - 1,
  }
  const next = steps[event.key]
  if (next === undefined || at === -1) return
  event.preventDefault()
  all[next % all.length]?.focus()
}
