/** Where vectors are searched, how far a move is, and a push for it. */
import { z } from '#lib/schema.ts'
import type { Route } from '#http/route.ts'
import type { Caller } from '#identity/records.ts'
import { pause } from '#lib/loop.ts'
import { placeNames, vectorChoices, type MoveStep, type VectorChoice } from '#store/documents/vector-places.ts'
import type { Admin } from '../admin.ts'
import { endpointsOf } from '../endpoint.ts'

/** A request waits for the move so long. */
const spanMs = 1000

const answer = z
  .strictObject({
    setting: z.enum(vectorChoices).describe('`documents.vector_index`'),
    target: z.enum(placeNames).describe('Where vectors are to be'),
    places: z
      .array(
        z.strictObject({
          place: z.enum(placeNames),
          chunks: z.int().describe('Chunks that are searched there'),
          copied: z.int().describe('Chunks that are there, and searched in memory until the index is built'),
        }),
      )
      .describe('Every visible chunk is searched in one of them'),
    done: z.boolean().describe('All are where they are to be, as far as that place can have them'),
    problem: z.string().nullable().describe('Why they stay where they are'),
  })
  .meta({ id: 'VectorIndex' })

/** The rows for the route table. */
export function vectorIndexRoutes(admin: Admin): Route<Caller>[] {
  const route = endpointsOf(admin, 'Settings')
  return [
    route({
      method: 'POST',
      path: '/vector-index/move',
      access: 'admin',
      summary: 'Move vectors to the place that the settings want',
      description:
        'Works for about a second and says how far the move is; the server goes on by itself. Searches find everything all the while.',
      answer,
      handle: () => moved(admin),
    }),
  ]
}

async function moved({ store, settings }: Admin): Promise<z.input<typeof answer>> {
  const { documents } = store
  const setting = settings.get('documents.vector_index') as VectorChoice
  const until = performance.now() + spanMs
  const over = new AbortController()
  let last: MoveStep | null = null
  let problem: string | null = null
  do {
    const step = documents.moveVectors(setting).catch((thrown: unknown) => {
      problem = thrown instanceof Error ? thrown.message : String(thrown)
      return null
    })
    // Building an index takes minutes.
    const answered = await Promise.race([
      step,
      pause(until - performance.now(), over.signal).then(() => 'late' as const),
    ])
    if (answered === 'late' || answered === null) break
    last = answered
  } while (last.sets > 0 && performance.now() < until)
  over.abort()
  const places = await documents.placedVectors()
  return {
    setting,
    target: last?.target ?? (setting === 'auto' ? 'memory' : setting),
    places: places.map(({ place, ready, copied }) => ({ place, chunks: ready, copied })),
    done: last !== null && last.sets === 0 && !last.busy && last.refusal === null,
    problem: last?.refusal ?? problem,
  }
}
