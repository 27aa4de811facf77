/** In place of a page whose script has not arrived yet. */
import { Skeleton } from '../components/skeleton.tsx'

export function PagePending() {
  return <Skeleton lines={8} label="Loading the page" />
}
