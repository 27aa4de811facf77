/**
 * Passwords at rest: argon2id with Bun's defaults (RFC 9106, second recommended option: 64 MiB,
 * t=2). Hashing runs on a thread of its own and does not hold up requests.
 */

/** The hash to store. */
export function hashPassword(password: string): Promise<string> {
  return Bun.password.hash(password, 'argon2id')
}

/**
 * Whether the password belongs to the hash. Without a hash (no such user, or none set) it does the
 * same work against a hash of an unknown password, so that the time tells nothing.
 */
export async function passwordMatches(password: string, hash: string | null): Promise<boolean> {
  if (hash !== null) return Bun.password.verify(password, hash)
  decoyHash ??= hashPassword(crypto.randomUUID())
  await Bun.password.verify(password, await decoyHash)
  return false
}

let decoyHash: Promise<string> | undefined
