/** What a menu is drawn with: the list behind the button and its items. */
import { Menu as Base } from '@base-ui/react/menu'
import { useEffect, useRef, useState } from 'react'
import type { MenuItemProps, MenuOpening, MenuProps } from './menu.tsx'
import styles from './menu.module.css'
import popupStyles from './popup.module.css'

export interface MenuListProps extends Omit<MenuProps, 'defaultOpen'> {
  readonly openedBy: MenuOpening
}

/** Open from the first. */
export function MenuList({ trigger, children, align = 'end', openedBy }: MenuListProps) {
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (openedBy === 'pointer') return
    // The library highlights the first item for this key only.
    button.current?.focus()
    button.current?.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true, cancelable: true }))
  }, [openedBy])
  // The list is rendered beside its button, inside the same landmark for screen readers.
  const [container, setContainer] = useState<HTMLElement | null>(null)
  return (
    <Base.Root modal={false} defaultOpen={openedBy === 'pointer'}>
      <Base.Trigger ref={button} render={trigger} />
      <Base.Portal container={container}>
        <Base.Positioner className={popupStyles.positioner} positionMethod="fixed" sideOffset={4} align={align}>
          <Base.Popup className={styles.popup}>{children}</Base.Popup>
        </Base.Positioner>
      </Base.Portal>
      <span ref={setContainer} />
    </Base.Root>
  )
}

export function MenuItem({ onSelect, children, danger = false }: MenuItemProps) {
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
