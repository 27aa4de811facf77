/** The list of pages: at the left in wide windows, in a drawer in narrow windows. */
import { Link } from '@tanstack/react-router'
import { useId } from 'react'
import { Icon } from '../components/icon.tsx'
import styles from './navigation.module.css'
import { pages, type Page } from './pages.ts'
import { useIsAdmin } from './use-session.ts'

export interface NavigationProps {
  /** Called when a page is chosen. */
  readonly onFollow?: () => void
}

const listed = pages.filter(({ paletteOnly }) => paletteOnly === undefined)
const forEverybody = listed.filter(({ admin }) => admin === undefined)
const forAdministrators = listed.filter(({ admin }) => admin === true)

export function Navigation({ onFollow }: NavigationProps) {
  const isAdmin = useIsAdmin()
  const headingId = useId()
  return (
    <nav aria-label="Pages" className={styles.navigation}>
      <ul className={styles.list}>{linksTo(forEverybody, onFollow)}</ul>
      {isAdmin && (
        <div>
          <h2 id={headingId} className={styles.heading}>
            Administration
          </h2>
          <ul className={styles.list} aria-labelledby={headingId}>
            {linksTo(forAdministrators, onFollow)}
          </ul>
        </div>
      )}
      <a className={styles.reference} href="/docs" target="_blank" rel="noreferrer">
        <Icon name="code" />
        API reference
      </a>
    </nav>
  )
}

function linksTo(group: readonly Page[], onFollow: NavigationProps['onFollow']) {
  return group.map(({ path, label, icon }) => (
    <li key={path}>
      <Link
        to={path}
        className={styles.link}
        activeOptions={{ exact: path === '/' }}
        {...(onFollow && { onClick: onFollow })}
      >
        <Icon name={icon} />
        {label}
      </Link>
    </li>
  ))
}
