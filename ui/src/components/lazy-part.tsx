/**
 * Parts of the console that load when they are first shown. A part that cannot be loaded, because the
 * connection is down or a new version has replaced it, leaves the rest of the page as it is.
 */
import { Component, use, useEffect, useState, type ComponentType, type ReactNode } from 'react'
import { Button } from './button.tsx'
import { Notice } from './notice.tsx'

/** The part could not be loaded. `forget` lets the next attempt load it again. */
export class PartError extends Error {
  readonly forget: () => void

  constructor(cause: unknown, forget: () => void) {
    super('A part of the console could not be loaded.', { cause })
    this.name = 'PartError'
    this.forget = forget
  }
}

/** What a module's export of this name takes. `void` leaves the type of its result alone, which may depend on the caller. */
type PropsOf<Exports, Name extends keyof Exports> = Exports[Name] extends (props: infer Props) => void
  ? Props & object
  : never

type LazyPart<Props> = ((props: Props) => ReactNode) & { readonly preload: () => Promise<void> }

/**
 * A component that loads when it is rendered, or before that by `preload`. Throws PartError while it is rendered.
 * Its type is worked out late: pages name the routes that name them.
 */
export function lazyPart<Exports extends object, Name extends keyof Exports>(
  load: () => Promise<Exports>,
  name: Name,
): LazyPart<PropsOf<Exports, Name>> {
  type Props = PropsOf<Exports, Name>
  let loaded: ComponentType<Props> | undefined
  let failed: PartError | undefined
  let loading: Promise<void> | undefined
  const preload = (): Promise<void> =>
    (loading ??= load().then(
      (parts) => void (loaded = parts[name] as ComponentType<Props>),
      (error: unknown) => void (failed = new PartError(error, forget)),
    ))
  function forget(): void {
    failed = undefined
    loading = undefined
  }
  function Part(props: Props) {
    if (loaded === undefined && failed === undefined) use(preload())
    if (failed !== undefined) throw failed
    return loaded === undefined ? null : <LoadedPart part={loaded} props={props} />
  }
  return Object.assign(Part, { preload })
}

function LoadedPart<Props extends object>({ part: Part, props }: { part: ComponentType<Props>; props: Props }) {
  return <Part {...props} />
}

const reloadedKey = 'sluice.reloaded-at'
/** A second reload within this time would not help either. */
const reloadPauseMs = 60_000

export interface PartFailedProps {
  readonly error: PartError
  /** Shows the part again. */
  readonly onRetry: () => void
  /** Reloads the page without asking, once: for parts that are all of the page, where nothing can be lost. */
  readonly reloads?: boolean
  readonly onClose?: () => void
}

/** In place of a part that could not be loaded: says whether the server is there, and how to go on. */
export function PartFailed({ error, onRetry, reloads = false, onClose }: PartFailedProps) {
  const [reachable, setReachable] = useState<boolean | null>(null)
  useEffect(() => {
    let shown = true
    void isReachable().then((answered) => {
      if (!shown) return
      if (answered && reloads && mayReload()) location.reload()
      else setReachable(answered)
    })
    return () => void (shown = false)
  }, [error, reloads])
  if (reachable === null) return null
  return (
    <Notice tone="warning" role="alert">
      <p>
        {reachable
          ? 'A new version is ready. Reload the page to use it.'
          : 'The server cannot be reached. Check the connection and try again.'}
      </p>
      {reachable ? (
        <Button onClick={() => location.reload()}>Reload</Button>
      ) : (
        <Button
          onClick={() => {
            error.forget()
            onRetry()
          }}
        >
          Try again
        </Button>
      )}
      {onClose !== undefined && (
        <Button
          variant="quiet"
          onClick={() => {
            error.forget()
            onClose()
          }}
        >
          Not now
        </Button>
      )}
    </Notice>
  )
}

async function isReachable(): Promise<boolean> {
  try {
    await fetch('/healthz', { cache: 'no-store' })
    return true
  } catch {
    return false
  }
}

function mayReload(): boolean {
  const before = Number(sessionStorage.getItem(reloadedKey) ?? 0)
  if (Date.now() - before < reloadPauseMs) return false
  sessionStorage.setItem(reloadedKey, String(Date.now()))
  return true
}

export interface PartBoundaryProps {
  readonly children: ReactNode
  /** Shown in place of the children after one of them could not be loaded. */
  readonly fallback: (error: PartError, onRetry: () => void) => ReactNode
}

/** Catches parts that could not be loaded. Other errors go on to the page's own boundary. */
export class PartBoundary extends Component<PartBoundaryProps, { readonly error: Error | null }> {
  override readonly state = { error: null as Error | null }

  static getDerivedStateFromError(error: Error): { readonly error: Error } {
    return { error }
  }

  override render(): ReactNode {
    const { error } = this.state
    if (error === null) return this.props.children
    if (!(error instanceof PartError)) throw error
    return this.props.fallback(error, () => this.setState({ error: null }))
  }
}
