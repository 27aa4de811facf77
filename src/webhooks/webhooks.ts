/** What the admin API works with; built once by src/open-webhooks.ts. */
import type { WebhookSender } from './webhook-sender.ts'

export interface Webhooks {
  readonly sender: WebhookSender
  /** The time that all processes agree on. */
  readonly now: () => Promise<number>
  /** There may be new deliveries. */
  readonly wake: () => void
}
