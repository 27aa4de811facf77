/** A menu behind a button. What draws it loads when the first one is pressed, or before that by `preload`. */
import { cloneElement, useState, type KeyboardEvent, type MouseEvent, type ReactElement, type ReactNode } from 'react'
import type { ButtonProps } from './button.tsx'
import { LatePart } from './late-part.tsx'
import { lazyPart } from './lazy-part.tsx'
import styles from './menu.module.css'

export interface MenuProps {
  /** The button that opens the menu. */
  readonly trigger: ReactElement<ButtonProps>
  readonly children: ReactNode
  readonly align?: 'start' | 'end'
  /** Opens on the first render. */
  readonly defaultOpen?: boolean
}

/** With the keyboard the first item gets the focus. */
export type MenuOpening = 'pointer' | 'keyboard'

export interface MenuItemProps {
  readonly onSelect: () => void
  readonly children: ReactNode
  readonly danger?: boolean
}

const MenuList = lazyPart(async () => {
  const [parts] = await Promise.all([import('./menu-list.tsx'), MenuItem.preload()])
  return parts
}, 'MenuList')

/** An item of a menu. */
export const MenuItem = lazyPart(() => import('./menu-list.tsx'), 'MenuItem')

export function Menu({ trigger, defaultOpen = false, ...rest }: MenuProps) {
  const [openedBy, setOpenedBy] = useState<MenuOpening | null>(defaultOpen ? 'pointer' : null)
  const button = cloneElement(trigger, {
    'aria-haspopup': 'menu',
    'aria-expanded': false,
    // A click without a press is one of the keyboard.
    onClick: ({ detail }: MouseEvent) => setOpenedBy(detail === 0 ? 'keyboard' : 'pointer'),
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
      event.preventDefault()
      setOpenedBy('keyboard')
    },
    onPointerEnter: () => void MenuList.preload(),
  })
  if (openedBy === null) return button
  return (
    <LatePart onClose={() => setOpenedBy(null)} whileLoading={button}>
      <MenuList {...rest} trigger={trigger} openedBy={openedBy} />
    </LatePart>
  )
}

Menu.preload = MenuList.preload

/** Text at the top of a menu; it cannot be selected. */
export function MenuText({ children }: { readonly children: ReactNode }) {
  return <div className={styles.text}>{children}</div>
}
