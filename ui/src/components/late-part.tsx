/** A part of a page that loads when it is opened, such as a dialog. When it cannot be loaded, the page stays and says so. */
import { Suspense, useEffect, useState, type ReactNode } from 'react'
import { PartBoundary, PartFailed } from './lazy-part.tsx'

export interface LatePartProps {
  readonly children: ReactNode
  /** Shown in place of the part until it is there. */
  readonly whileLoading?: ReactNode
  readonly onClose?: () => void
}

/** Longest wait for an idle browser. */
const idleWaitMs = 2_000

/** A part that is below what is seen first: it loads when the browser has nothing else to do. */
export function IdlePart({ children, whileLoading = null }: Omit<LatePartProps, 'onClose'>) {
  const [isIdle, setIsIdle] = useState(!('requestIdleCallback' in window))
  useEffect(() => {
    if (isIdle) return
    const waiting = requestIdleCallback(() => setIsIdle(true), { timeout: idleWaitMs })
    return () => cancelIdleCallback(waiting)
  }, [isIdle])
  return isIdle ? <LatePart whileLoading={whileLoading}>{children}</LatePart> : whileLoading
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
