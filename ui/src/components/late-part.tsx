/** A part of a page that loads when it is opened, such as a dialog. When it cannot be loaded, the page stays and says so. */
import { Suspense, type ReactNode } from 'react'
import { PartBoundary, PartFailed } from './lazy-part.tsx'

export function LatePart({ children, onClose }: { readonly children: ReactNode; readonly onClose: () => void }) {
  return (
    <PartBoundary fallback={(error, onRetry) => <PartFailed error={error} onRetry={onRetry} onClose={onClose} />}>
      <Suspense fallback={null}>{children}</Suspense>
    </PartBoundary>
  )
}
