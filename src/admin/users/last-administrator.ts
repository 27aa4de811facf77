/** Somebody must stay able to administer: the last enabled administrator cannot be taken away. */
import { ApiError } from '#errors/api-error.ts'
import type { User } from '#identity/records.ts'
import type { Store } from '#store/store.ts'

/** Answers 409 when the user is the only enabled administrator. */
export async function requireAnotherAdministrator({ users }: Store, user: User): Promise<void> {
  if (user.role !== 'admin' || user.disabled) return
  const all = await users.all()
  if (all.some((other) => other.id !== user.id && other.role === 'admin' && !other.disabled)) return
  throw new ApiError('conflict', {
    message: 'This is the last enabled administrator. Make another user an administrator first.',
  })
}

/** Runs tasks one after another, so that two administrators cannot each take away the other at once. */
export function oneAtATime(): <T>(task: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (task) => {
    const running = last.then(task)
    // The next one runs whether or not this one fails; its own caller hears of that.
    last = running.catch(() => {})
    return running
  }
}
