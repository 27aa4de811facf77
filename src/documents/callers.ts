/** Looks up the accounts on which models are called for documents. */
import type { Directory } from '#identity/directory.ts'
import type { Caller } from '#identity/records.ts'

/** The account of this user as it is now; null when the user is gone or disabled. */
export type CallerOf = (userId: string) => Caller | null

/** `operator` imports through the control socket and has no account in the directory. */
export function callerLookup(directory: Directory, operator: Caller): CallerOf {
  return (userId) => {
    if (userId === operator.account.user.id) return operator
    const account = directory.account(userId)
    return account === undefined || account.user.disabled ? null : { account, key: null }
  }
}
