/** `sluice batch …`: batches of requests from a file, with what they make in another. */
import { rm } from 'node:fs/promises'
import { basename } from 'node:path'
import { pause } from '#lib/loop.ts'
import { CommandFailure, UsageProblem, type Command } from '../command.ts'
import { Interruption } from '../documents/interruption.ts'
import { ProgressLine } from '../documents/progress-line.ts'
import { tableLines } from '../output.ts'
import type { AdminClient } from '../admin/admin-client.ts'
import { dataCommand } from '../admin/data-command.ts'

interface BatchOnWire {
  readonly id: string
  readonly status: string
  readonly endpoint: string
  readonly errors: { readonly data: readonly { readonly line: number | null; readonly message: string }[] } | null
  readonly output_file_id: string | null
  readonly error_file_id: string | null
  readonly estimated_completion_at: number | null
  readonly warning: string | null
  readonly request_counts: { readonly total: number; readonly completed: number; readonly failed: number }
}

interface Page {
  readonly data: readonly (BatchOnWire & { readonly metadata: Readonly<Record<string, string>> | null })[]
  readonly has_more: boolean
}

const pollMs = 500
const markField = 'sluice_run'
const markPrefix = 'run-'
const ends = new Set(['completed', 'failed', 'expired', 'cancelled'])
const flag = (placeholder: string, sentence: string) => ({ type: 'string', placeholder, sentence }) as const

const run = dataCommand({
  name: 'batch run',
  summary: 'Run the requests of a file as a batch, and write their results to another.',
  details:
    'Each line is a request as OpenAI has it, or with --model a prompt. A run that was broken off can be started again: it goes on with the same batch, whose id is in OUT.batch until the end. Failed lines go to OUT.errors.',
  positionals: [{ name: 'FILE', sentence: 'The requests or prompts, one in each line.' }],
  flags: {
    output: flag('OUT', 'Where the results go; needed.'),
    model: flag('NAME', 'Makes a chat of each line with this model.'),
    endpoint: flag('PATH', 'Endpoint of the requests; /v1/chat/completions when left out.'),
    window: flag('HOURS', 'Time until the batch expires; 24h when left out.'),
  },
  async run(client, { positionals: [path = ''], flags, output }) {
    const out = flags.get('output')
    if (out === undefined) throw new UsageProblem('"sluice batch run" needs a place for the results: --output OUT.')
    const endpoint = flags.get('endpoint') ?? '/v1/chat/completions'
    const asked = { endpoint, completion_window: flags.get('window') ?? '24h' }
    const model = flags.get('model') ?? null
    const id = await underWay(client, out, (mark) => begin(client, { path, model, asked, mark }))
    using interruption = new Interruption()
    using progress = new ProgressLine(output)
    const batch = await watch(client, { id, signal: interruption.signal, progress })
    progress.clear()
    if (batch === null) {
      output.problems([`Batch ${id} goes on. Run the same command again to wait for it.`])
      return 1
    }
    await save(client, batch.output_file_id, out)
    await save(client, batch.error_file_id, `${out}.errors`)
    await rm(`${out}.batch`)
    const { completed, failed, total } = batch.request_counts
    output.result(batch, [`${batch.status}: ${completed} of ${total} answered, ${failed} failed.`])
    if (batch.errors !== null)
      output.problems(
        batch.errors.data.map(({ line, message }) => (line === null ? message : `line ${line}: ${message}`)),
      )
    return batch.status === 'completed' && failed === 0 ? 0 : 1
  },
})

const list = dataCommand({
  name: 'batch list',
  summary: 'List the newest batches.',
  async run(client, { output }) {
    const { data } = await answer<{ readonly data: readonly BatchOnWire[] }>(client, 'GET', '/batches?limit=100')
    const rows = data.map(({ id, status, endpoint, request_counts: { completed, failed, total } }) => [
      id,
      status,
      endpoint,
      `${completed + failed}/${total}`,
      String(failed),
    ])
    output.result(data, () => tableLines(['id', 'status', 'endpoint', 'done', 'failed'], rows, 'There are no batches.'))
    return 0
  },
})

const cancel = dataCommand({
  name: 'batch cancel',
  summary: 'Stop a batch; what is done stays.',
  positionals: [{ name: 'ID', sentence: 'The batch.' }],
  async run(client, { positionals: [id = ''], output }) {
    const batch = await answer<BatchOnWire>(client, 'POST', `/batches/${encodeURIComponent(id)}/cancel`)
    output.result(batch, [`${batch.id} is ${batch.status}.`])
    return 0
  },
})

export const batchCommands: readonly Command[] = [run, list, cancel]

/**
 * The batch that an earlier run of the command has begun, or a new one. The note holds a mark before the batch is begun, and
 * its id after: a run that was killed in between finds the batch by its mark.
 */
async function underWay(client: AdminClient, out: string, begins: (mark: string) => Promise<string>): Promise<string> {
  const note = Bun.file(`${out}.batch`)
  const noted = (await note.exists()) ? (await note.text()).trim() : ''
  if (noted !== '' && !noted.startsWith(markPrefix)) return noted
  const mark = noted === '' ? `${markPrefix}${crypto.randomUUID()}` : noted
  if (noted === '') await Bun.write(note, `${mark}\n`)
  const id = (noted === '' ? null : await marked(client, mark)) ?? (await begins(mark))
  await Bun.write(note, `${id}\n`)
  return id
}

/** The id of the batch with this mark; null when it is not there. */
async function marked(client: AdminClient, mark: string): Promise<string | null> {
  for (let after = ''; ;) {
    const path = `/batches?limit=100${after}`
    const { data, has_more: hasMore } = await answer<Page>(client, 'GET', path)
    const found = data.find(({ metadata }) => metadata?.[markField] === mark)
    const last = data.at(-1)
    if (found !== undefined) return found.id
    if (!hasMore || last === undefined) return null
    after = `&after=${last.id}`
  }
}

interface NewBatch {
  readonly path: string
  /** Null: the lines are requests. */
  readonly model: string | null
  readonly asked: { readonly endpoint: string; readonly completion_window: string }
  /** The batch is found again by it. */
  readonly mark: string
}

async function begin(client: AdminClient, { path, model, asked, mark }: NewBatch): Promise<string> {
  const file = Bun.file(path)
  if (!(await file.exists())) throw new UsageProblem(`There is no file ${path}.`)
  const form = new FormData()
  form.append('purpose', 'batch')
  form.append('file', model === null ? file : new Blob([chatsOf(await file.text(), model)]), basename(path))
  const { id: fileId } = await answer<{ readonly id: string }>(client, 'POST', '/files', form)
  const body = JSON.stringify({ ...asked, input_file_id: fileId, metadata: { [markField]: mark } })
  const json = new Blob([body], { type: 'application/json' })
  return (await answer<BatchOnWire>(client, 'POST', '/batches', json)).id
}

/** A request for each line, whose number is its `custom_id`. */
function chatsOf(text: string, model: string): string {
  const requests = text.split('\n').flatMap((line, at) => {
    if (line.trim() === '') return []
    const body = { model, messages: [{ role: 'user', content: line }] }
    return JSON.stringify({ custom_id: `line-${at + 1}`, method: 'POST', url: '/v1/chat/completions', body })
  })
  return requests.join('\n')
}

interface Watched {
  readonly id: string
  readonly signal: AbortSignal
  readonly progress: ProgressLine
}

/** The batch at its end; null when the command is asked to stop before. */
async function watch(client: AdminClient, { id, signal, progress }: Watched): Promise<BatchOnWire | null> {
  while (!signal.aborted) {
    const batch = await answer<BatchOnWire>(client, 'GET', `/batches/${id}`)
    if (ends.has(batch.status)) return batch
    const { completed, failed, total } = batch.request_counts
    const counts = `${batch.status} ${completed + failed}/${total}, ${failed} failed`
    progress.show(completed + failed, total, `${counts}${endOf(batch)}`)
    await pause(pollMs, signal)
  }
  return null
}

/** When it will be done, as it looks now. */
function endOf({ estimated_completion_at: at, warning }: BatchOnWire): string {
  if (at === null) return ''
  const time = new Date(at * 1000).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })
  return `, done at about ${time}${warning === null ? '' : ', after its window'}`
}

async function save(client: AdminClient, fileId: string | null, path: string): Promise<void> {
  if (fileId !== null) await Bun.write(path, await client.request('GET', `/ai/v1/files/${fileId}/content`))
}

async function answer<T>(client: AdminClient, method: string, path: string, body?: Bun.BodyInit): Promise<T> {
  const response = await client.request(method, `/ai/v1${path}`, body)
  const value: unknown = await response.json()
  if (typeof value !== 'object' || value === null) throw new CommandFailure('The server sent no answer.')
  return value as T
}
