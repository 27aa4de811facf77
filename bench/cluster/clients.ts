/** What is asked of the processes all the time: chats through the balancer, keys that are deleted, documents, reports. */
import type { Figures } from './figures.ts'

export interface Clients {
  /** Address of the balancer. */
  readonly balancer: string
  readonly adminKey: string
  readonly figures: Figures
  /** Addresses of the processes that run. */
  readonly running: () => readonly string[]
}

const patienceMs = 120_000
const slowMs = 2000

async function ask(url: string, key: string, body?: object, method = body === undefined ? 'GET' : 'POST') {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const signal = AbortSignal.timeout(patienceMs)
  const response = await fetch(url, { method, headers, signal, ...(body && { body: JSON.stringify(body) }) })
  const text = await response.text()
  return { status: response.status, text, json: <T>() => JSON.parse(text) as T }
}

/** One chat through the balancer. */
export async function chatOnce({ balancer, adminKey, figures }: Clients): Promise<void> {
  const body = { model: 'demo-chat', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1 }
  const begunAt = performance.now()
  const answer = await ask(`${balancer}/ai/v1/chat/completions`, adminKey, body).catch((thrown: unknown) => ({
    status: 0,
    text: String(thrown),
  }))
  if (performance.now() - begunAt > slowMs) figures.count('AI requests that took more than 2 s')
  if (answer.status === 200) figures.count('AI requests answered')
  else figures.count('AI requests failed', `${new Date().toISOString()} ${answer.status} ${answer.text}`)
}

/**
 * Makes a key on one process, deletes it on another, and then asks every process whether the key still works. A key may
 * not be made or deleted at a time when the database is away; that is counted apart.
 */
export async function deleteOnce({ adminKey, figures, running }: Clients, userId: string): Promise<void> {
  const [one, two] = [pick(running()), pick(running())]
  if (one === undefined || two === undefined) return
  try {
    const made = await ask(`${one}/admin/api/v1/users/${userId}/keys`, adminKey, { name: 'bench' })
    if (made.status !== 201 && made.status !== 200)
      return figures.count('keys not made (503 during troubles)', made.text)
    const { id, secret } = made.json<{ id: string; secret: string }>()
    const deleted = await ask(`${two}/admin/api/v1/keys/${id}`, adminKey, undefined, 'DELETE')
    if (deleted.status !== 204) return figures.count('deletions not answered (503 during troubles)', deleted.text)
    figures.count('deletions answered')
    await Promise.all(
      running().map(async (url) => {
        const { status } = await ask(`${url}/ai/v1/models`, secret).catch(() => ({ status: 0 }))
        if (status === 200) figures.count('STALE answers after a deletion', url)
      }),
    )
  } catch (thrown) {
    figures.count('key calls without an answer (process killed or stopped)', String(thrown))
  }
}

/** Imports a small document; resolves with its id. */
export async function importOnce({ balancer, adminKey, figures }: Clients, name: string): Promise<void> {
  const content = Buffer.from(`${name}. ${'The quick brown fox jumps over the lazy dog. '.repeat(20)}`).toString(
    'base64',
  )
  const files = [{ name: `${name}.txt`, bytes: content, category: 'bench' }]
  const answer = await ask(`${balancer}/api/v1/documents`, adminKey, { files }).catch(() => null)
  const { status = 0, text } = answer ?? {}
  if (status >= 200 && status < 300) figures.count('documents imported')
  else figures.count('imports not answered (503 during troubles)', text)
}

/** A plain user's own report, on a process that is asked for many at once. */
export async function reportOnce(url: string, key: string, figures: Figures): Promise<void> {
  const { status } = await ask(`${url}/admin/api/v1/me/usage`, key).catch(() => ({ status: 0 }))
  figures.count(`reports by status ${status}`)
}

function pick(urls: readonly string[]): string | undefined {
  return urls[Math.floor(Math.random() * urls.length)]
}

/** GET of the admin API. */
export async function read<T>(url: string, key: string): Promise<T> {
  return (await ask(url, key)).json<T>()
}
