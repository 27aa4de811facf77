/**
 * Does a server that is killed while it imports lose, double or leave behind anything? 200 documents,
 * killed 100 times at random moments, compared with an undisturbed import of the same documents.
 *
 * Run by hand: `bun bench/documents-crash.ts [documents] [kills] [seed]`. Exit code 1 when anything differs.
 */
import { isDeepStrictEqual } from 'node:util'
import { importWithCrashes } from '#test/support/documents/documents-crash.ts'

const [documents = 200, kills = 100, seed = 1] = process.argv.slice(2).map(Number)
const plan = { documents, seed, lifeMsMax: 2000 }

const undisturbed = await importWithCrashes({ ...plan, kills: 0 })
const crashed = await importWithCrashes({
  ...plan,
  kills,
  onKill: (kill, ended) => console.error(`kill ${kill} of ${kills}: ${ended} documents have ended`),
})

const different = [...undisturbed.documents].filter(
  ([id, document]) => !isDeepStrictEqual(document, crashed.documents.get(id)),
)
const ends = Map.groupBy(crashed.documents.values(), ({ end }) => end)
const orphans = [...undisturbed.orphans, ...crashed.orphans]
const survivors = [...undisturbed.survivors, ...crashed.survivors]
console.log(`documents: ${[...ends].map(([end, { length }]) => `${length} ${end}`).join(', ')}`)
console.log(`different from the undisturbed import: ${different.length}`)
for (const [id, { end }] of different.slice(0, 10))
  console.log(`  ${id}: ${end} when undisturbed, ${crashed.documents.get(id)?.end}`)
console.log(`orphans: ${orphans.join(', ') || 'none'}`)
console.log(`reading processes that outlived their server: ${survivors.join(', ') || 'none'}`)
console.log(`most attempts of a document: ${crashed.attemptsMax}`)
console.log(`after the last start all had ended within ${(crashed.lastLifeMs / 1000).toFixed(1)} s`)
const isWrong =
  different.length + orphans.length + survivors.length > 0 || crashed.documents.size !== undisturbed.documents.size
process.exitCode = isWrong ? 1 : 0
