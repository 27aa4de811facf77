/** The `encrypted_content` of a reasoning item: what its upstream wants back with the next request. */
import { decodeReasoning, encodeReasoning, type ReasoningDetail } from '../../chat/reasoning-details.ts'

const prefix = 'sluice-1.'

/** The details as the string that clients keep and return. */
export function encodeEncryptedContent(details: readonly ReasoningDetail[]): string {
  return encodeReasoning(prefix, details)
}

/** The details again; null for a string of another server, or a damaged one. */
export function decodeEncryptedContent(encoded: string): readonly ReasoningDetail[] | null {
  const details = decodeReasoning(prefix, encoded)
  return typeof details === 'string' ? null : details
}
