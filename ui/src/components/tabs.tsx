/** Tabs: several views, one visible at a time. */
import { Tabs as Base } from '@base-ui/react/tabs'
import type { ReactNode } from 'react'
import styles from './tabs.module.css'

export interface Tab {
  readonly value: string
  readonly label: string
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
  return (
    <Base.Root
      {...(value === undefined ? { defaultValue: tabs[0]?.value ?? null } : { value })}
      onValueChange={(next) => onChange?.(String(next))}
      className={styles.root}
    >
      <Base.List className={styles.list} aria-label={label}>
        {tabs.map((tab) => (
          <Base.Tab key={tab.value} value={tab.value} className={styles.tab}>
            {tab.label}
          </Base.Tab>
        ))}
      </Base.List>
      {tabs.map((tab) => (
        <Base.Panel key={tab.value} value={tab.value} keepMounted={keepMounted} className={styles.panel}>
          {tab.content}
        </Base.Panel>
      ))}
    </Base.Root>
  )
}
