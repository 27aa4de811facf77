/** The drawing of a request's time: a line for each stretch, with a bar where its time is known. */
import type { RequestRecord } from '../../api/schema.d.ts'
import { Badge, type BadgeTone } from '../../components/badge.tsx'
import { durationText } from '../../components/format.ts'
import { stretchesOf, type Stretch } from './stretches-of.ts'
import styles from './waterfall.module.css'

export function Waterfall({ request }: { readonly request: RequestRecord }) {
  const { attempts, duration_ms: total } = request
  return (
    <section className={styles.section} aria-label="Timeline">
      <header className={styles.header}>
        <h2>Timeline</h2>
        <span className={styles.muted}>
          {attempts === 1 ? '1 attempt' : `${attempts} attempts`}, {durationText(total)}
        </span>
      </header>
      {attempts === 0 && <p className={styles.muted}>The request ended before a provider was called.</p>}
      <ol className={styles.stretches}>
        {stretchesOf(request).map((stretch, index) => (
          // Stretches have no id; their order never changes.
          <li key={index} className={styles.stretch}>
            <StretchText stretch={stretch} request={request} />
            <Bar stretch={stretch} total={total} />
          </li>
        ))}
      </ol>
    </section>
  )
}

const labels: Readonly<Record<Stretch['kind'], string>> = {
  own: 'checked',
  queue: 'waited',
  failed: 'failed',
  call: 'served',
  stream: 'answered',
}

const tones: Readonly<Record<Stretch['kind'], BadgeTone>> = {
  own: 'neutral',
  queue: 'warning',
  failed: 'danger',
  call: 'accent',
  stream: 'success',
}

function StretchText({ stretch, request }: { readonly stretch: Stretch; readonly request: RequestRecord }) {
  const { kind, name, model, status, code, message, from, to } = stretch
  const isEnded = kind === 'call' && request.status >= 400
  return (
    <div className={styles.text}>
      <Badge tone={isEnded ? 'warning' : tones[kind]}>{isEnded ? 'ended' : labels[kind]}</Badge>
      <span className={styles.name}>{name}</span>
      {model !== null && <code>{model}</code>}
      {status !== null && <span className={styles.muted}>status {status}</span>}
      {code !== null && <code className={kind === 'failed' ? styles.bad : undefined}>{code}</code>}
      {from !== null && to !== null && <span className={styles.took}>{durationText(Math.max(0, to - from))}</span>}
      {message !== null && <p className={styles.message}>{message}</p>}
    </div>
  )
}

/** Drawn to the scale of the whole request; the text beside it has the numbers. */
function Bar({ stretch: { kind, from, to }, total }: { readonly stretch: Stretch; readonly total: number }) {
  if (from === null || to === null) return null
  const whole = Math.max(1, total)
  const start = Math.min(100, (100 * from) / whole)
  const width = Math.max(0, Math.min(100 - start, (100 * (to - from)) / whole))
  return (
    <div className={styles.track} aria-hidden="true">
      <span className={`${styles.bar} ${styles[kind]}`} style={{ insetInlineStart: `${start}%`, width: `${width}%` }} />
    </div>
  )
}
