/** What an administrator is asked for first when something is reported: which version, on what, since when. */
import { z } from '#lib/schema.ts'
import { instant, instantOf } from '#http/page.ts'
import type { Route } from '#http/route.ts'
import type { Caller } from '#identity/records.ts'
import type { Admin } from '../admin.ts'
import { endpointsOf } from '../endpoint.ts'

const aboutAnswer = z
  .strictObject({
    version: z.string(),
    database: z.enum(['sqlite', 'postgres']),
    started_at: instant,
    uptime_seconds: z.int().describe('Of the process that answers'),
  })
  .meta({ id: 'About' })

/** Time begins to run when the routes are made: at the start of the process. */
export function aboutRoutes(admin: Admin): Route<Caller>[] {
  const route = endpointsOf(admin, 'Settings')
  const { clock, store, version } = admin
  const startedAt = clock.now()
  const startedElapsed = clock.elapsed()
  return [
    route({
      method: 'GET',
      path: '/about',
      access: 'admin',
      summary: 'Version, database and uptime of this server',
      answer: aboutAnswer,
      handle: () => ({
        version,
        database: store.engine,
        started_at: instantOf(startedAt),
        uptime_seconds: Math.floor((clock.elapsed() - startedElapsed) / 1000),
      }),
    }),
  ]
}
