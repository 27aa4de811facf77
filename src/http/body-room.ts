/**
 * Room in memory for the large bodies of one request. Their bytes count, until the request has ended, among those that all
 * requests may hold at once; a request for which there is no room waits, and its client with it: nothing of it is read until then.
 */
import { ApiError } from '#errors/api-error.ts'
import type { ByteBudget, Grant } from '#lib/byte-budget.ts'
import { Deadline } from '#lib/deadline.ts'
import type { RequestContext } from './request-context.ts'

export interface BodyRoom {
  /** All that this process may hold. */
  readonly budget: ByteBudget
  /** Whose request it is: the id of a user. */
  readonly owner: string
  /** Gives the room back with what else the request holds. */
  readonly held: DisposableStack
}

/** The limits of what takes room. */
export interface RoomLimits {
  /** Where large bodies find room in memory; without it they are not counted. */
  readonly room?: BodyRoom
  /** How long they wait for it. */
  readonly readSeconds: number
}

/** Smaller bodies are not counted: waiting costs them more than it saves. */
export const countedBytes = 262_144

/** Waits until there is room for this many bytes; null where they are not counted. Answers 503 by throwing when that takes too long. */
export async function takeRoom({ signal }: RequestContext, limits: RoomLimits, bytes: number): Promise<Grant | null> {
  if (bytes < countedBytes || limits.room === undefined) return null
  const { budget, owner, held } = limits.room
  const givingUp = new AbortController()
  const taking = budget.take(bytes, owner, AbortSignal.any([signal, givingUp.signal]))
  using deadline = new Deadline(taking, limits.readSeconds * 1000, noRoom)
  try {
    return held.use(await deadline.outcome)
  } catch (thrown) {
    givingUp.abort()
    // It may have been granted in the same moment.
    void taking.then(
      (grant) => grant[Symbol.dispose](),
      () => {},
    )
    throw signal.aborted ? new ApiError('client_closed') : thrown
  }
}

function noRoom(): ApiError {
  return new ApiError('overloaded', {
    message: 'The server holds as many large requests as it may, or half as many of yours. Send fewer at once.',
  })
}
