/** Signatures of Standard Webhooks: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */
import { createHmac, randomBytes } from 'node:crypto'
import { Secret } from '#lib/secret.ts'

const prefix = 'whsec_'
const secretBytes = 32

/** What a receiver verifies: the same id at each attempt, the time of this one. */
export interface SignedMessage {
  readonly id: string
  /** Seconds since 1970. */
  readonly timestamp: number
  readonly payload: string
}

/** A new secret of 32 random bytes, as receivers are given it. */
export function newSecret(): Secret {
  return new Secret(prefix + randomBytes(secretBytes).toString('base64'))
}

/** The value of `webhook-signature`: one signature for each secret, so that a receiver may have either. */
export function signatures({ id, timestamp, payload }: SignedMessage, secrets: readonly Secret[]): string {
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.reveal().slice(prefix.length), 'base64')
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${payload}`).digest('base64')}`
    })
    .join(' ')
}
