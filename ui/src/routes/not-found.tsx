/** The page for unknown addresses, and for pages that the user may not open. */
import { Link } from '@tanstack/react-router'
import { buttonClass } from '../components/button.tsx'
import { PageHeader } from '../components/page-header.tsx'
import styles from './not-found.module.css'

export function NotFound() {
  return (
    <>
      <PageHeader title="Page not found" description="Check the address. Some pages are for administrators only." />
      <Link to="/" className={buttonClass('primary')}>
        Go to the overview
      </Link>
    </>
  )
}

/** The same page without the navigation. */
export function NotFoundAlone() {
  return (
    <main className={styles.alone}>
      <NotFound />
    </main>
  )
}
