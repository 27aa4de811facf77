/** A request that an agent sends, and what has to become of it. */
export interface AgentRequest {
  readonly agent: string
  readonly path: string
  /** Beside those of the key and the body. */
  readonly headers: Readonly<Record<string, string>>
  /** Without the model. */
  readonly body: Readonly<Record<string, unknown>>
  /** The tool that the model calls next, by the agent's own name. */
  readonly calls: string
  /** What the provider has to see of the request, whatever its API. */
  readonly seen: readonly string[]
  /** The type of the last event, or its data. */
  readonly last: string
}
