/**
 * What an upstream wants back with its thoughts (`reasoning_details`: signatures and the like), as
 * the opaque string that clients of this API keep and return in `encrypted_content`. It is packed,
 * not encrypted: it holds nothing that the client of a chat completion would not see.
 */
import { isObject } from '#lib/json-value.ts'
import { type Json } from './fields.ts'

const mark = 'sluice-1.'

/** The details as one string. */
export function sealThoughts(details: readonly Json[]): string {
  return mark + Buffer.from(JSON.stringify(details)).toString('base64url')
}

/** The details again; null for a string that another server made, which nobody here can read. */
export function openThoughts(sealed: string): readonly Json[] | null {
  if (!sealed.startsWith(mark)) return null
  try {
    const details: unknown = JSON.parse(Buffer.from(sealed.slice(mark.length), 'base64url').toString('utf8'))
    return Array.isArray(details) ? details.filter(isObject) : null
  } catch {
    return null
  }
}
