/** A menu behind a button. */
import { Menu as Base } from '@base-ui/react/menu'
import { useState, type ReactElement, type ReactNode } from 'react'
import styles from './menu.module.css'
import popupStyles from './popup.module.css'

export interface MenuProps {
  /** The button that opens the menu. */
  readonly trigger: ReactElement
  readonly children: ReactNode
  readonly align?: 'start' | 'end'
  /** Opens on the first render. */
  readonly defaultOpen?: boolean
}

export function Menu({ trigger, children, align = 'end', defaultOpen = false }: MenuProps) {
  // The list is rendered beside its button, inside the same landmark for screen readers.
  const [container, setContainer] = useState<HTMLElement | null>(null)
  return (
    <Base.Root modal={false} defaultOpen={defaultOpen}>
      <Base.Trigger render={trigger} />
      <Base.Portal container={container}>
        <Base.Positioner className={popupStyles.positioner} positionMethod="fixed" sideOffset={4} align={align}>
          <Base.Popup className={styles.popup}>{children}</Base.Popup>
        </Base.Positioner>
      </Base.Portal>
      <span ref={setContainer} />
    </Base.Root>
  )
}

export function MenuItem({
  onSelect,
  children,
  danger = false,
}: {
  readonly onSelect: () => void
  readonly children: ReactNode
  readonly danger?: boolean
}) {
  return (
    <Base.Item className={`${styles.item} ${danger ? styles.danger : ''}`} onClick={onSelect}>
      {children}
    </Base.Item>
  )
}

export interface MenuChoiceProps<Value extends string> {
  readonly label: string
  readonly value: Value
  readonly options: readonly (readonly [Value, string])[]
  readonly onChange: (value: Value) => void
}

/** A choice of one option, under a heading. */
export function MenuChoice<Value extends string>({ label, value, options, onChange }: MenuChoiceProps<Value>) {
  return (
    <Base.Group className={styles.group}>
      <Base.GroupLabel className={styles.label}>{label}</Base.GroupLabel>
      <Base.RadioGroup value={value} onValueChange={onChange}>
        {options.map(([option, text]) => (
          <Base.RadioItem key={option} value={option} className={styles.item} closeOnClick>
            <span className={styles.dot}>
              <Base.RadioItemIndicator>●</Base.RadioItemIndicator>
            </span>
            {text}
          </Base.RadioItem>
        ))}
      </Base.RadioGroup>
    </Base.Group>
  )
}

/** Text at the top of a menu; it cannot be selected. */
export function MenuText({ children }: { readonly children: ReactNode }) {
  return <div className={styles.text}>{children}</div>
}
