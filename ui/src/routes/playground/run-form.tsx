/** The form of a tab with one request: fields, and a button that sends it or stops it. Ctrl+Enter sends. */
import { useRef, type ReactNode } from 'react'
import type { UsableModel } from '../../api/schema.d.ts'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import type { IconName } from '../../components/icon.tsx'
import { Icon } from '../../components/icon.tsx'
import styles from './run-form.module.css'
import type { Run } from './use-run.ts'

export interface RunFormProps {
  readonly label: string
  /** The text of the button: "Embed 3 texts". */
  readonly submit: string
  /** Why it cannot be sent yet; null when it can. */
  readonly missing: string | null
  readonly run: Pick<Run<unknown>, 'running' | 'error' | 'stop'>
  readonly onRun: () => void
  readonly children: ReactNode
}

export function RunForm({ label, submit, missing, run: { running, error, stop }, onRun, children }: RunFormProps) {
  const form = useRef<HTMLFormElement>(null)
  return (
    <>
      <form
        ref={form}
        aria-label={label}
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault()
          if (missing === null && !running) onRun()
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
          event.preventDefault()
          form.current?.requestSubmit()
        }}
      >
        {children}
        <div className={styles.bar}>
          {running ? (
            // Different keys make two elements: with one, the click that stops would also submit the form.
            <Button key="stop" onClick={stop}>
              <Icon name="stop" />
              Stop
            </Button>
          ) : (
            <Button key="run" type="submit" variant="primary" disabled={missing !== null}>
              <Icon name="play" />
              {submit}
            </Button>
          )}
          <p role="status" className={styles.note}>
            {running ? 'Waiting for the answer…' : (missing ?? '')}
          </p>
        </div>
      </form>
      {error !== null && <ErrorNotice error={error} onRetry={onRun} />}
    </>
  )
}

/** In place of a tab for whose endpoint the user has no model. */
export function NoModelFor({ what, icon }: { readonly what: string; readonly icon: IconName }) {
  return (
    <EmptyState icon={icon} title={`No ${what} model`}>
      None of your models is for this. Ask an administrator for access to one, or add a provider that has one.
    </EmptyState>
  )
}

/** The chosen model while the user can use it; otherwise the one that the page was opened with, or the first. */
export function chosenModel(
  models: readonly UsableModel[],
  chosen: string | null,
  initial: string | undefined,
): string | null {
  const named = (name: string | null | undefined): UsableModel | undefined => models.find((each) => each.name === name)
  return (named(chosen) ?? named(initial) ?? models[0])?.name ?? null
}
