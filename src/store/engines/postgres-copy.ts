/**
 * COPY … FROM STDIN over a connection of `pg`, which knows the protocol but has no call for it. The data is
 * in PostgreSQL's text format: https://www.postgresql.org/docs/15/sql-copy.html
 */
import { Query, type PoolClient } from 'pg'

/** What `pg` gives to a query whose statement waits for data. */
interface CopyTarget {
  sendCopyFromChunk(chunk: Uint8Array): void
  endCopyFrom(): void
}

type Answered = (error: Error | undefined | null, result: unknown) => void

class CopyQuery extends Query {
  readonly #data: Uint8Array

  constructor(text: string, data: Uint8Array, answered: Answered) {
    super(text, answered)
    this.#data = data
  }

  handleCopyInResponse(target: CopyTarget): void {
    target.sendCopyFromChunk(this.#data)
    target.endCopyFrom()
  }
}

/** Runs the statement with this data. Rejects with the server's error; no row is stored then. */
export function copyIn(client: PoolClient, text: string, data: Uint8Array): Promise<unknown> {
  return new Promise((resolve, reject) => {
    client.query(new CopyQuery(text, data, (error, result) => (error ? reject(error) : resolve(result))))
  })
}
