/**
 * What each process on the database says about itself, for people who ask any one of them. It goes with the heartbeat,
 * so it is as old as that, and a process that is gone says nothing.
 */

/** What a process writes with its next heartbeat. Called about once a second; text, whose meaning is its reader's. */
export type OwnStatus = () => string

export interface Peer {
  readonly id: string
  /** Time since its last heartbeat by the database's clock; what it says was true then. */
  readonly ageMs: number
  /** Empty when it has said nothing. */
  readonly status: string
}
