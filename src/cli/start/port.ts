/** The port of the server: what is wrong with it, and which one several processes share. */
import type { Settings } from '#config/settings/records.ts'
import { StartProblem } from '#setup/start-problem.ts'

/** The port of the settings, or a free one for 0, which nobody has at this moment. Throws StartProblem. */
export async function portToShare(settings: Settings): Promise<number> {
  const { 'server.host': hostname, 'server.port': port } = settings
  try {
    // Workers listen with others on a port; this listens alone, and so finds out whether a stranger has it.
    const probe = Bun.serve({ hostname, port, reusePort: false, fetch: () => new Response(null) })
    const found = probe.port ?? port
    await probe.stop(true)
    return found
  } catch (thrown) {
    throw listenProblem(thrown, settings)
  }
}

/** The StartProblem that a failure to listen is, or the failure itself. */
export function listenProblem(
  thrown: unknown,
  { 'server.host': host, 'server.port': port }: Pick<Settings, 'server.host' | 'server.port'>,
): unknown {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined
  if (code === 'EADDRINUSE') {
    return new StartProblem(
      `Port ${port} on ${host} is in use. Stop what uses it, or set server.port to another one.`,
      thrown,
    )
  }
  if (code === 'EACCES' || code === 'EPERM') {
    return new StartProblem(
      `Port ${port} on ${host} may not be used by this user. Set server.port to one above 1023.`,
      thrown,
    )
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new StartProblem(
      `${host} is not an address of this machine. Set server.host to one of its addresses, or to 0.0.0.0.`,
      thrown,
    )
  }
  return thrown
}
