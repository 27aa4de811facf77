/**
 * What do files that are made to hurt cost the server? Each is imported by itself; printed are how it
 * ended, how long that took, how much the memory of the server grew, and how long the slowest of the
 * requests took that were answered during the import.
 *
 * Run by hand: `bun bench/documents-hostile.ts`. Exit code 1 when a file did not end as it must, took
 * more than 10 seconds or more than 100 MB.
 */
import { readFileSync } from 'node:fs'
import { Installation } from '#test/cli/sluice.ts'
import { hostileFiles, type HostileFile } from '#test/support/documents/hostile-files.ts'

const secondsMax = 10
const growthMax = 100_000_000

await using installation = new Installation()
const server = await installation.start(['--json'])
const headers = { authorization: `Bearer ${server.started.first_start?.api_key}` }

function residentBytes(): number {
  const [, kilobytes = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.child.pid}/status`, 'latin1')) ?? []
  return Number(kilobytes) * 1024
}

async function call<T>(path: string, body?: object): Promise<T> {
  const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) }
  const response = await fetch(server.address + path, init)
  return (await response.json()) as T
}

interface Answered {
  readonly accepted: readonly { readonly doc_id: string }[]
  readonly invalid: readonly { readonly reason: { readonly code: string } }[]
}

async function endOf({ name, bytes }: HostileFile): Promise<string> {
  const file = { name, category: 'hostile', bytes: Buffer.from(bytes).toString('base64') }
  const { accepted, invalid } = await call<Answered>('/api/v1/documents', { files: [file], wait_for_completion: true })
  const [document] = accepted
  if (document === undefined) return `invalid ${invalid[0]?.reason.code}`
  const path = `/api/v1/document/${document.doc_id}`
  const { state, error } = await call<{ state: string; error: { code: string } | null }>(path)
  return error === null ? state : `${state} ${error.code}`
}

// The first one starts the reading processes and fills what is filled once.
await endOf({ name: 'first.txt', bytes: Buffer.from('An ordinary text.'), ends: 'completed' })
let isWrong = false
console.log('| file | bytes | ended as | seconds | server grew by MB | slowest request during the import, ms |')
console.log('|---|---|---|---|---|---|')
for (const file of hostileFiles({ unpackedBytes: 400_000_000, contentStreamBytes: 216_000_000 })) {
  const before = residentBytes()
  const startedAt = performance.now()
  let isOver = false
  let most = before
  let slowest = 0
  const importing = endOf(file).finally(() => (isOver = true))
  while (!isOver) {
    const askedAt = performance.now()
    await (await fetch(`${server.address}/healthz`)).arrayBuffer()
    await call('/ai/v1/models')
    slowest = Math.max(slowest, performance.now() - askedAt)
    most = Math.max(most, residentBytes())
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const end = await importing
  const seconds = (performance.now() - startedAt) / 1000
  const growth = most - before
  const isRight = [file.ends].flat().includes(end) && seconds <= secondsMax && growth <= growthMax
  isWrong ||= !isRight
  const figures = [file.bytes.length, end, seconds.toFixed(1), (growth / 1e6).toFixed(0), slowest.toFixed(0)]
  console.log(`| ${file.name} | ${figures.join(' | ')} |${isRight ? '' : ' WRONG'}`)
}
await server.stop()
process.exitCode = isWrong ? 1 : 0
