/** A part of a page that loads when it is opened, such as a dialog. When it cannot be loaded, the page stays and says so. */
import { Suspense, type ReactNode } from 'react'
import { PartBoundary, PartFailed } from './lazy-part.tsx'

export interface LatePartProps {
  readonly children: ReactNode
  /** Shown in place of the part until it is there. */
  readonly whileLoading?: ReactNode
  readonly onClose?: () => void
}

export function LatePart({ children, whileLoading = null, onClose }: LatePartProps) {
  return (
    <PartBoundary
      fallback={(error, onRetry) => <PartFailed error={error} onRetry={onRetry} {...(onClose && { onClose })} />}
    >
      <Suspense fallback={whileLoading}>{children}</Suspense>
    </PartBoundary>
  )
}
