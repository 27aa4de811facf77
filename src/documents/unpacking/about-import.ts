/** The limits on what an import request says about its files, whose contents do not count. */
import { parseBounded, passedJsonLimits, usualJsonLimits } from '#lib/bounded-json.ts'

/** Limit on names, owners and similar fields: parsing them keeps the server busy. */
export const aboutBytesMax = 8 * 1024 * 1024

const limits = { ...passedJsonLimits, depthMax: usualJsonLimits.depthMax }

/** The JSON value of an import request without its contents. Throws SyntaxError, or what parseBounded throws. */
export function parseAbout(about: Buffer): unknown {
  return parseBounded(about, limits)
}
