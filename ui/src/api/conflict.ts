/**
 * What happens to a change of a record that another person has changed since it was read: the person chooses. The shell
 * asks while it is shown.
 */
import { ApiError } from './api-error.ts'

/** A record as the server sent it. */
export interface Versioned {
  readonly etag: string
}

export interface Conflict {
  /** The record that the person saw. */
  readonly before: Versioned
  /** The record as it is now. */
  readonly now: Versioned
  /** The fields that the person changes; null for a deletion. */
  readonly mine: Readonly<Record<string, unknown>> | null
}

/** `none`: neither, the person looks at the form again. */
export type Choice = 'mine' | 'theirs' | 'none'

export type Ask = (conflict: Conflict) => Promise<Choice>

let current: Ask | null = null

/** Lets people choose from now on. The function that is returned ends that. */
export function answerConflicts(ask: Ask): () => void {
  current = ask
  return () => {
    if (current === ask) current = null
  }
}

/** Asks. Throws ApiError unless the change is to be made over the other one. */
export async function chooseMine(refused: ApiError, conflict: Conflict): Promise<void> {
  const choice = (await current?.(conflict)) ?? 'none'
  if (choice === 'mine') return
  const { status, requestId } = refused
  const [code, message] =
    choice === 'theirs'
      ? [tookTheirs, 'What the other person saved is kept.']
      : [refused.code, 'Not saved: another person has changed this since you opened it.']
  throw new ApiError({ message, code, status, param: null, requestId, retryAfterSeconds: null, current: conflict.now })
}

const tookTheirs = 'took_theirs'

/** True when the person gave up the change for that of the other person: the form has nothing more to do. */
export function isTheirs(thrown: unknown): thrown is ApiError {
  return thrown instanceof ApiError && thrown.code === tookTheirs
}

/** The fields of a change that differ from the record that the person saw. */
export function changedFields<Body extends object>(before: object, body: Body): Partial<Body> {
  const seen = new Map(Object.entries(before))
  return Object.fromEntries(
    Object.entries(body).filter(([name, value]) => canonical(value) !== canonical(seen.get(name))),
  ) as Partial<Body>
}

/** JSON in which the order of an object's fields makes no difference. */
export function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_, each: unknown) =>
      typeof each === 'object' && each !== null && !Array.isArray(each)
        ? Object.fromEntries(Object.entries(each).sort(([one], [other]) => (one < other ? -1 : 1)))
        : each,
    ) ?? 'undefined'
  )
}
