/** Clients that send chat requests one after the other to servers that come and go, and what went wrong. */
import type { Cluster, TestReplica } from './cluster.ts'
import { until } from '../until.ts'

/** Makes the model that the clients ask for. */
export async function addLoadModel(on: TestReplica): Promise<void> {
  const { id } = await on.admin<{ id: string }>('POST', '/providers', { name: 'practice', kind: 'demo' })
  await on.admin('POST', '/models', { name: 'chat', provider_id: id, upstream_name: 'demo-chat' })
}

export class Load implements AsyncDisposable {
  /** Each answer that was not a 200, and each request without an answer. */
  readonly failures: string[] = []
  answered = 0
  #stopping = false
  #next = 0
  readonly #targets: () => readonly string[]
  readonly #clients: Promise<void>[]

  /** @param targets addresses of the servers that may be asked now, in turn */
  constructor(targets: () => readonly string[], { userKey }: Pick<Cluster, 'userKey'>) {
    this.#targets = targets
    this.#clients = Array.from({ length: 4 }, () => this.#run(userKey))
  }

  /** Resolves when so many more requests have been answered. */
  async more(count: number): Promise<void> {
    const wanted = this.answered + count
    await until(() => this.answered >= wanted || this.failures.length > 0)
  }

  async stop(): Promise<void> {
    this.#stopping = true
    await Promise.all(this.#clients)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }

  async #run(key: string): Promise<void> {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ model: 'chat', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1 })
    while (!this.#stopping) {
      const targets = this.#targets()
      const target = targets[(this.#next += 1) % targets.length]
      const outcome = await fetch(`${target}/ai/v1/chat/completions`, { method: 'POST', headers, body }).then(
        async (answer) => {
          const text = await answer.text()
          return answer.status === 200 ? null : `${answer.status} ${text}`
        },
        (failure: unknown) => String(failure),
      )
      if (outcome !== null) this.failures.push(outcome)
      this.answered += 1
    }
  }
}
