/** The menu of actions at the end of a table's row. */
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import type { Column } from './data-table.tsx'
import { Icon } from './icon.tsx'
import { Menu } from './menu.tsx'

export interface RowMenuProps {
  /** What the actions are for: the name of the row. */
  readonly name: string
  /** Items of the menu. */
  readonly children: ReactNode
}

export function RowMenu({ name, children }: RowMenuProps) {
  return (
    <Menu
      trigger={
        <Button variant="quiet" icon aria-label={`Actions for ${name}`}>
          <Icon name="more" />
        </Button>
      }
    >
      {children}
    </Menu>
  )
}

/** The column that holds the menus. */
export function menuColumn<Row>(cell: (row: Row) => ReactNode): Column<Row> {
  return { id: 'actions', header: 'Actions', headerHidden: true, min: 60, align: 'end', cell }
}
