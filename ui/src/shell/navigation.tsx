/** The list of pages: at the left of wide windows, in a drawer on narrow ones. */
import { Link } from '@tanstack/react-router'
import { Icon } from '../components/icon.tsx'
import styles from './navigation.module.css'
import { pages } from './pages.ts'
import { useIsAdmin } from './use-session.ts'

export function Navigation({ onFollow }: { readonly onFollow?: () => void }) {
  const isAdmin = useIsAdmin()
  return (
    <nav aria-label="Pages" className={styles.navigation}>
      <ul className={styles.list}>
        {pages
          .filter((page) => page.paletteOnly === undefined && (page.admin === undefined || isAdmin))
          .map((page) => (
            <li key={page.path}>
              <Link
                to={page.path}
                className={styles.link}
                activeOptions={{ exact: page.path === '/' }}
                {...(onFollow && { onClick: onFollow })}
              >
                <Icon name={page.icon} />
                {page.label}
              </Link>
            </li>
          ))}
      </ul>
      <a className={styles.link} href="/docs" target="_blank" rel="noreferrer">
        <Icon name="docs" />
        API reference
      </a>
    </nav>
  )
}
