/** An address that no page has, or that is not for this user. */
import { Link } from '@tanstack/react-router'
import { buttonClass } from '../components/button.tsx'
import { PageHeader } from '../components/page-header.tsx'
import styles from './not-found.module.css'

export function NotFound() {
  return (
    <>
      <PageHeader
        title="There is no page at this address"
        description="The address may be mistyped, or the page is only for administrators."
      />
      <Link to="/" className={buttonClass('primary')}>
        Go to the overview
      </Link>
    </>
  )
}

/** The same outside of the shell. */
export function NotFoundAlone() {
  return (
    <main className={styles.alone}>
      <NotFound />
    </main>
  )
}
