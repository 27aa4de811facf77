/**
 * The address that a client means whose base URL is a little wrong: a prefix too many, another one, or none. It is a hint
 * for people in a 404; nothing is answered there.
 */

const segmentsMax = 16
/** Most segments before the part that is right. */
const wrongMax = 4

/**
 * The address; null when no route is near.
 * @param bases prefixes of addresses, the likelier first
 */
export function nearAddress(
  path: string,
  bases: readonly string[],
  exists: (address: string) => boolean,
): string | null {
  const segments = path.split('/', 2 * segmentsMax).filter((segment) => segment !== '')
  if (segments.length > segmentsMax) return null
  for (let from = 0; from <= Math.min(wrongMax, segments.length - 1); from += 1) {
    const rest = segments.slice(from).join('/')
    const found = bases.map((base) => `${base}/${rest}`).find((address) => address !== path && exists(address))
    if (found !== undefined) return found
  }
  return null
}
