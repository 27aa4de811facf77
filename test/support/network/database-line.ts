/** A line to the database server of the tests, which a test can let fall silent. */
import { openLine, type NetworkLine } from './network-line.ts'
import type { PostgresSchema } from '../store/postgres-schema.ts'

export interface DatabaseLine extends NetworkLine {
  /** The address of a schema through this line. */
  to(schema: PostgresSchema): string
}

/** Open it before the cluster, so that it is there until all processes have stopped. @param port any free one when left out */
export async function openDatabaseLine(serverUrl: string, port = 0): Promise<DatabaseLine> {
  const { hostname, port: serverPort } = new URL(serverUrl)
  const line = await openLine({ host: hostname, port: Number(serverPort || '5432') }, port)
  return { ...line, to: (schema) => throughPort(schema, line.port) }
}

/** The address of a schema at another port of this machine. */
export function throughPort(schema: PostgresSchema, port: number): string {
  const url = new URL(schema.url)
  url.hostname = '127.0.0.1'
  url.port = String(port)
  return url.href
}
