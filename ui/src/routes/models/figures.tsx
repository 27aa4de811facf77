/** The figures by which people choose a model: price, context, and how it has done in the last day. */
import type { UsableModel } from '../../api/schema.d.ts'
import { compactText, durationText, percentText } from '../../components/format.ts'
import { moneyText } from '../../components/money.ts'
import { firstTokenMs, type Performance } from './find-models.ts'
import styles from './figures.module.css'

export interface FiguresProps {
  readonly model: UsableModel
  readonly performance: Performance | null
  readonly currency: string
}

/** Only what is known. */
export function Figures({ model, performance, currency }: FiguresProps) {
  const figures = [
    ['Price', priceText(model, currency)],
    ['Context', model.context_length === null ? null : compactText(model.context_length)],
    ['First token', latencyText(performance)],
    ['Speed', speedText(performance)],
    ['Uptime', uptimeText(performance)],
    ['Requests', performance?.requests === null || performance === null ? null : compactText(performance.requests)],
  ] as const
  return (
    <dl className={styles.figures}>
      {figures.flatMap(([name, text]) =>
        text === null
          ? []
          : [
              <div key={name} className={styles.figure}>
                <dt>{name}</dt>
                <dd>{text}</dd>
              </div>,
            ],
      )}
    </dl>
  )
}

/** "$2.50 / $10.00": a million tokens of input and of output; null when no price is known. */
export function priceText({ rates }: Pick<UsableModel, 'rates'>, currency: string): string | null {
  if (rates === null) return null
  const { input, output, request, image, second } = rates
  if (input !== undefined || output !== undefined) {
    const parts = [input, output].flatMap((rate) => (rate === undefined ? [] : [moneyText(rate, currency)]))
    return parts.join(' / ')
  }
  if (request !== undefined) return `${moneyText(request, currency)} a request`
  if (image !== undefined) return `${moneyText(image, currency)} an image`
  if (second !== undefined) return `${moneyText(second, currency)} a second`
  return 'free'
}

export function latencyText(performance: Performance | null): string | null {
  const ms = firstTokenMs(performance)
  return ms === null ? null : durationText(ms)
}

export function speedText(performance: Performance | null): string | null {
  const speed = performance?.tokens_per_second ?? null
  return speed === null ? null : `${Math.round(speed)} tokens/s`
}

/** "99.9%"; never rounded up to a whole hundred. */
export function uptimeText(performance: Pick<Performance, 'uptime'> | null): string | null {
  const uptime = performance?.uptime ?? null
  if (uptime === null) return null
  return percentText(uptime < 1 ? Math.min(uptime, 0.999) : 1)
}
