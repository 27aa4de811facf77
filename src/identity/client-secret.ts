/**
 * Client secrets: what the owner of a key gives to a page, so that the page can open a realtime session and do nothing
 * else. A secret is a sealed text (lib/seal.ts) and is stored nowhere: it names the key that it was made with, and
 * whatever holds for the key when it is used holds for the secret.
 */
import { z } from '#lib/schema.ts'
import { SealError, type Sealer } from '#lib/seal.ts'
import type { ClientGrant } from './records.ts'

/** The beginning by which OpenAI's clients recognise secrets that a page may hold. */
const prefix = 'ek_'
const context = 'client-secret'

const content = z.object({
  key: z.string(),
  model: z.string(),
  session: z.record(z.string(), z.unknown()).nullable(),
  until: z.int(),
})

/** Whether the text looks like a client secret; says nothing about its origin. */
export function isClientSecret(text: string): boolean {
  return text.startsWith(prefix)
}

/** Makes client secrets, and reads those that this installation has made. */
export class ClientSecrets {
  readonly #sealer: Sealer

  constructor(sealer: Sealer) {
    this.#sealer = sealer
  }

  /** @param until milliseconds since 1970 */
  make({ keyId, model, session }: ClientGrant, until: number): string {
    return prefix + this.#sealer.seal(JSON.stringify({ key: keyId, model, session, until }), context)
  }

  /** What the secret permits; null when it has expired, or was not made here. */
  open(secret: string, now: number): ClientGrant | null {
    try {
      const { key, model, session, until } = content.parse(
        JSON.parse(this.#sealer.open(secret.slice(prefix.length), context)),
      )
      return until <= now ? null : { keyId: key, model, session }
    } catch (thrown) {
      if (thrown instanceof SealError) return null
      throw thrown
    }
  }
}
