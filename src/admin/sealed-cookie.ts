/** Cookies that only this installation can write: what a browser keeps for it, sealed. */
import type { z } from 'zod'
import { SealError, type Sealer } from '#lib/seal.ts'

/** A kind of cookie. */
export interface SealedCookie<S extends z.ZodType> {
  readonly name: string
  /** What the value is bound to, so that no other sealed text passes for it. */
  readonly purpose: string
  readonly schema: S
}

/** The text for a `set-cookie` header. */
export function sealedValue<S extends z.ZodType>(
  { purpose }: SealedCookie<S>,
  sealer: Sealer,
  value: z.output<S>,
): string {
  return sealer.seal(JSON.stringify(value), purpose)
}

/** What the request's cookie of this kind holds; null when there is none that this installation has written. */
export function readSealed<S extends z.ZodType>(
  { name, purpose, schema }: SealedCookie<S>,
  sealer: Sealer,
  { headers }: Request,
): z.output<S> | null {
  const pair = (headers.get('cookie') ?? '').split(/; */).find((each) => each.startsWith(`${name}=`))
  if (pair === undefined) return null
  try {
    const read = schema.safeParse(JSON.parse(sealer.open(pair.slice(name.length + 1), purpose)))
    return read.success ? read.data : null
  } catch (thrown) {
    if (thrown instanceof SealError) return null
    throw thrown
  }
}
