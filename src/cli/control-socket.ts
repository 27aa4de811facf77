/** The socket in the data directory by which a running server takes commands from its own user. */
import { chmodSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Settings } from '#config/settings/records.ts'
import { controlSocketIn } from '#setup/data-directory.ts'

const answerTimeoutMs = 5000

/** Where the socket of a server with these settings is. */
export function controlSocketOf(settings: Settings): string {
  return controlSocketIn(resolve(settings.data_dir))
}

/** Whether a server is behind the socket: `none` also for a file that a killed server left. */
export async function askControlSocket(path: string): Promise<'answers' | 'silent' | 'none'> {
  try {
    const response = await fetch('http://localhost/healthz', {
      unix: path,
      signal: AbortSignal.timeout(answerTimeoutMs),
    })
    await response.body?.cancel()
    return 'answers'
  } catch (thrown) {
    return thrown instanceof Error && thrown.name === 'TimeoutError' ? 'silent' : 'none'
  }
}

/** Removes the file of a server that is gone, which would be in the way of the next one. */
export function removeStaleSocket(path: string): void {
  rmSync(path, { force: true })
}

/** Only the owner of the socket can open it: its user is the operator. */
export function restrictSocket(path: string): void {
  chmodSync(path, 0o600)
}
