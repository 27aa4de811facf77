/**
 * What the adapter has to know of a vendor besides its package: how the package is configured from a
 * provider record, and where the vendor's interface has less than OpenAI's. The vendors themselves
 * are in vendors.ts.
 */
import type { DiscoveredModel } from '../provider.ts'
import type { ChatRequest } from './chat-request.ts'

export type Options = Readonly<Record<string, unknown>>

/** Gets JSON from an address; rejects with an UpstreamFailure when the answer is not a success. */
export type GetJson = (url: string, headers: Readonly<Record<string, string>>) => Promise<unknown>

export interface Vendor {
  /** Kind of the provider record, for messages. */
  readonly kind: string
  readonly packageName: string
  /** Loads the package; called on the first call of such a provider, never before. */
  readonly load: () => Promise<Options>
  /** Name of the function that the package exports to make its provider; null: the only one called create…. */
  readonly factory: string | null
  /** Settings of that function, credential and address included. */
  readonly settings: Options
  /** Under which name the package takes options of its own. */
  readonly namespace: string
  /** Request fields that the package would leave out with no more than a warning. */
  readonly unsupported: readonly string[]
  /** The response format `json_object` cannot be asked for. */
  readonly jsonNeedsSchema: boolean
  /** Fields of a request that are options of this vendor only. */
  readonly chatOptions: (request: ChatRequest) => Options
  /** The option that sets the length of vectors; null when there is none. */
  readonly embeddingOptions: (dimensions: number, model: string) => Options | null
  /** The options that say what the texts are, by our field. */
  readonly embeddingTasks: Partial<Readonly<Record<'input_type' | 'task_type', string>>>
  /** Null when the vendor has no list that the credential can read. */
  readonly listModels: ((getJson: GetJson) => Promise<readonly DiscoveredModel[]>) | null
}
