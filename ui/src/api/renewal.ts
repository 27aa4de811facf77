/**
 * How a request that finds the session ended waits for another one, and is then repeated: what was entered on the page is
 * not lost by the end of a session. The shell decides it while it is shown.
 */

/** Resolves when the same user has a session again; false when they do not want one. */
export type Renew = () => Promise<boolean>

let current: Renew | null = null
let asked: Promise<boolean> | null = null

/** Lets people sign in again from now on. The function that is returned ends that. */
export function allowRenewal(renew: Renew): () => void {
  current = renew
  return () => {
    if (current === renew) current = null
  }
}

/** Whether the session was renewed. Requests that ask at the same time are asked for once. */
export function renewed(): Promise<boolean> {
  if (current === null) return Promise.resolve(false)
  asked ??= current().finally(() => {
    asked = null
  })
  return asked
}
