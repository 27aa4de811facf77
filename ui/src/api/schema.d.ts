// Generated from the OpenAPI document by "npm run docs". Do not edit.

export type About = {
  readonly version: string
  readonly database: "sqlite" | "postgres"
  readonly started_at: string
  /** Of the process that answers */
  readonly uptime_seconds: number
}

export type Activity = {
  /** Beginning of the first day */
  readonly from: string
  /** Of `cost` */
  readonly currency: string
  readonly data: readonly ({
    /** As in `ids`; those that were not used are left out */
    readonly id: string
    /** Of each day, the oldest first */
    readonly requests: readonly number[]
    /** Of all days: answered with 400 or above */
    readonly errors: number
    readonly tokens: number
    /** In 10^-9 of the currency, of requests whose price is known */
    readonly cost: number
  })[]
}

export type AnthropicError = {
  readonly type: "error"
  readonly error: {
    readonly type: string
    readonly message: string
    /** error_code: stable, for programs */
    readonly details: {
      readonly error_code: string
    } | null
  }
  readonly request_id?: string | undefined
}

/** To a client that sends anthropic-version. */
export type AnthropicModel = {
  readonly type: "model"
  readonly id: string
  readonly display_name: string
  readonly created_at: string
}

export type ApiKey = {
  readonly id: string
  readonly name: string
  readonly description: string
  /** The part of the secret that may be displayed */
  readonly prefix: string
  /** The secret before the last rotation; null = none works beside the new one */
  readonly previous: {
    readonly prefix: string
    /** It is refused from then on */
    readonly until: string
  } | null
  readonly user_id: string
  readonly created_at: string
  /** Written about once a minute; null = never */
  readonly last_used_at: string | null
  readonly expires_at: string | null
  readonly scopes: {
    /** Model names; null = all that the user has */
    readonly models: readonly string[] | null
    /** null = all */
    readonly areas: readonly ("inference" | "documents" | "admin" | "scim")[] | null
  }
  /** The class in which its requests wait for a scarce model */
  readonly priority: "interactive" | "normal" | "batch"
  /** Another one after each change of what can be set. As `If-Match`, it makes a change of another version fail with 409 */
  readonly etag: string
}

export type ApiKeyChange = {
  readonly name?: string | undefined
  readonly description?: string | undefined
  /** null = never */
  readonly expires_at?: string | null | undefined
  readonly scopes?: {
    /** Model names or aliases; null = all that the user has */
    readonly models?: readonly string[] | null | undefined
    /** null = all */
    readonly areas?: readonly ("inference" | "documents" | "admin" | "scim")[] | null | undefined
  } | undefined
  /** The class in which its requests wait for a scarce model; only administrators give interactive */
  readonly priority?: "interactive" | "normal" | "batch" | undefined
}

export type ApiKeyCreation = {
  readonly name: string
  readonly description?: string | undefined
  /** null = never */
  readonly expires_at?: string | null | undefined
  readonly scopes?: {
    /** Model names or aliases; null = all that the user has */
    readonly models?: readonly string[] | null | undefined
    /** null = all */
    readonly areas?: readonly ("inference" | "documents" | "admin" | "scim")[] | null | undefined
  } | undefined
  /** The class in which its requests wait for a scarce model; only administrators give interactive */
  readonly priority?: "interactive" | "normal" | "batch" | undefined
}

export type ApiKeyDeletion = {
  readonly ids: readonly string[]
}

export type ApiKeyRotation = {
  /** How long the secret of now works, too; 0 = not at all */
  readonly overlap_hours?: number | undefined
}

export type AsyncRequest = {
  readonly id: string
  readonly object: "async_request"
  /** failed: the answer is an error */
  readonly status: "queued" | "in_progress" | "completed" | "failed" | "cancelling" | "cancelled" | "expired"
  readonly endpoint: "/v1/chat/completions" | "/v1/completions" | "/v1/embeddings" | "/v1/responses" | "/v1/messages" | "/v1/rerank" | "/v1/moderations"
  /** Where the answer will be */
  readonly response_url: string
  /** Seconds since 1970 */
  readonly created_at: number
  /** Seconds since 1970 */
  readonly in_progress_at: number | null
  /** Seconds since 1970 */
  readonly ended_at: number | null
  /** When it is given up if it has no answer by then */
  readonly expires_at: number
}

export type AuditProof = {
  /** The first row that is missing, changed or out of order; null when there is none */
  readonly broken_at: number | null
  /** Rows whose hashes were recomputed */
  readonly checked: number
  /** The newest row */
  readonly seq: number
  /** The hash of the newest row; a copy of it elsewhere proves all rows up to it */
  readonly hash: string
}

export type AuditRow = {
  /** The rows are numbered without a gap */
  readonly seq: number
  readonly at: string
  readonly action: string
  /** begun: written before a change; the row of its end names it in `details` */
  readonly outcome: "begun" | "done" | "refused" | "failed"
  readonly source: "session" | "key" | "operator" | "file" | "sign-in"
  /** E-mail address; for a refused sign-in the one that was entered */
  readonly actor: string
  readonly actor_id: string | null
  readonly key_id: string | null
  readonly address: string
  readonly request_id: string
  readonly record: string
  /** `before` and `after` are the record as its own address shows it */
  readonly details: { readonly [name: string]: unknown }
  /** SHA-256 of the row and the hash of the row before */
  readonly hash: string
}

export type Batch = {
  readonly id: string
  readonly object: "batch"
  readonly endpoint: string
  readonly errors: {
    readonly object: "list"
    readonly data: readonly ({
      readonly code: string
      readonly message: string
      readonly param: string | null
      /** Number of the line in the input file, from 1 */
      readonly line: number | null
    })[]
  } | null
  readonly input_file_id: string
  readonly completion_window: string
  readonly status: "validating" | "failed" | "in_progress" | "finalizing" | "completed" | "expired" | "cancelling" | "cancelled"
  /** Once a line is done; it can be read while the batch runs */
  readonly output_file_id: string | null
  /** Once a line has failed */
  readonly error_file_id: string | null
  readonly created_at: number
  /** Seconds since 1970 */
  readonly in_progress_at: number | null
  /** Seconds since 1970 */
  readonly expires_at: number | null
  /** Seconds since 1970 */
  readonly finalizing_at: number | null
  /** Seconds since 1970 */
  readonly completed_at: number | null
  /** Seconds since 1970 */
  readonly failed_at: number | null
  /** Seconds since 1970 */
  readonly expired_at: number | null
  /** Seconds since 1970 */
  readonly cancelling_at: number | null
  /** Seconds since 1970 */
  readonly cancelled_at: number | null
  readonly request_counts: {
    readonly total: number
    readonly completed: number
    readonly failed: number
  }
  readonly metadata?: { readonly [name: string]: string } | null | undefined
  /** The one that all lines name; absent for several */
  readonly model?: string | undefined
  /** Tokens of the lines that are done; those that reported none count as 0 */
  readonly usage: {
    readonly input_tokens: number
    readonly input_tokens_details: {
      readonly cached_tokens: number
    }
    readonly output_tokens: number
    readonly output_tokens_details: {
      readonly reasoning_tokens: number
    }
    readonly total_tokens: number
  }
  /** When its last line is done if the others take as long as those before; null before there is one, and after the end. Not of OpenAI’s API. */
  readonly estimated_completion_at: number | null
  /** What its lines cost so far, in 10^-9 of the currency; null without a price. Not of OpenAI’s API. */
  readonly cost: number | null
  /** Of the cost, as ISO 4217 has it */
  readonly currency: string
  /** Failed lines by the code of their error, the most frequent first. Not of OpenAI’s API. */
  readonly failures: readonly ({
    readonly code: string
    readonly count: number
  })[]
  /** That its window is too short, as it looks now. Not of OpenAI’s API. */
  readonly warning: string | null
}

export type BatchRequest = {
  readonly input_file_id: string
  readonly endpoint: "/v1/chat/completions" | "/v1/completions" | "/v1/embeddings" | "/v1/responses" | "/v1/messages" | "/v1/rerank" | "/v1/moderations"
  /** 24h, or any number of hours from 1h to 720h */
  readonly completion_window: string
  /** Up to 16 texts */
  readonly metadata?: { readonly [name: string]: string } | null | undefined
  readonly output_expires_after?: {
    readonly anchor: "created_at"
    readonly seconds: number
  } | null | undefined
}

export type Budget = {
  readonly id: string
  readonly scope: "key" | "user" | "group" | "model" | "provider"
  readonly scope_id: string
  /** Of what it is on; the e-mail address of a user. Null when that is deleted */
  readonly name: string | null
  readonly period: "day" | "week" | "month" | "total"
  readonly time_zone: string
  readonly amount: number
  /** Requests that could exceed it are refused with 402; otherwise it counts and notifies */
  readonly hard: boolean
  /** Percentages of the amount at which people are told */
  readonly thresholds: readonly number[]
  /** Read-only here, because the configuration file has it */
  readonly declared: boolean
  readonly created_at: string
  /** Beginning of the window of now */
  readonly starts_at: string
  /** End of the window of now; null for a budget in all */
  readonly renews_at: string | null
  /** In the window of now, by requests since the budget was made */
  readonly spent: number
  /** Taken ahead by processes for requests that run or are to come */
  readonly held: number
  /** Part of `held`: of processes that are gone, whose last requests may have cost it. It counts as spent. */
  readonly unreconciled: number
  readonly left: number
  /** The highest threshold that was reached, in percent; null below all of them */
  readonly reached: number | null
  /** Another one after each change of what can be set. As `If-Match`, it makes a change of another version fail with 409 */
  readonly etag: string
}

export type BudgetChange = {
  readonly amount?: number | undefined
  /** Requests that could exceed it are refused with 402; otherwise it counts and notifies */
  readonly hard?: boolean | undefined
  /** Percentages of the amount at which people are told */
  readonly thresholds?: readonly number[] | undefined
}

export type BudgetProof = {
  readonly counter: string
  /** As the counter says */
  readonly spent: number
  /** As the usage records say */
  readonly recomputed: number
  readonly difference: number
}

/** What a model can do; what is left out is unknown. */
export type Capabilities = {
  readonly endpoints?: readonly string[] | undefined
  readonly input?: readonly string[] | undefined
  readonly tools?: boolean | undefined
  readonly json_schema?: boolean | undefined
  readonly reasoning?: boolean | undefined
  /** The endpoints were guessed by the name at import */
  readonly guessed?: boolean | undefined
}

export type ChatCompletion = {
  readonly id?: string | undefined
  readonly created?: number | undefined
  readonly model?: string | undefined
  /** chat.completion */
  readonly object?: string | undefined
  readonly choices: readonly ({
    readonly index?: number | undefined
    readonly message: {
      readonly role?: string | null | undefined
      /** The text, or null when tools are called; some providers write it in parts */
      readonly content?: string | readonly ({
        readonly type?: string | undefined
      })[] | null | undefined
      readonly tool_calls?: readonly ({
        readonly id?: string | null | undefined
        readonly type?: string | null | undefined
        readonly function?: {
          readonly name?: string | null | undefined
          readonly arguments?: string | null | undefined
        } | undefined
      })[] | null | undefined
    }
    /** stop, length, tool_calls or content_filter; null before the end */
    readonly finish_reason?: string | null | undefined
  })[]
  readonly usage?: {
    readonly prompt_tokens?: number | null | undefined
    readonly completion_tokens?: number | null | undefined
    readonly total_tokens?: number | null | undefined
    readonly prompt_tokens_details?: {
      readonly cached_tokens?: number | null | undefined
    } | null | undefined
    readonly completion_tokens_details?: {
      readonly reasoning_tokens?: number | null | undefined
    } | null | undefined
  } | null | undefined
  /** Where sources were looked up: what the answer cites */
  readonly citations?: readonly ({})[] | undefined
}

/** The stream ends with the text [DONE] in place of a chunk. */
export type ChatCompletionChunk = {
  readonly id?: string | undefined
  readonly created?: number | undefined
  readonly model?: string | undefined
  /** chat.completion.chunk */
  readonly object?: string | undefined
  readonly choices: readonly ({
    readonly index?: number | undefined
    readonly delta?: {
      readonly role?: string | null | undefined
      /** The text, or null when tools are called; some providers write it in parts */
      readonly content?: string | readonly ({
        readonly type?: string | undefined
      })[] | null | undefined
      readonly tool_calls?: readonly ({
        readonly id?: string | null | undefined
        readonly type?: string | null | undefined
        readonly function?: {
          readonly name?: string | null | undefined
          readonly arguments?: string | null | undefined
        } | undefined
      })[] | null | undefined
    } | null | undefined
    /** stop, length, tool_calls or content_filter; null before the end */
    readonly finish_reason?: string | null | undefined
  })[]
  /** In the last chunk, where stream_options.include_usage is true */
  readonly usage?: {
    readonly prompt_tokens?: number | null | undefined
    readonly completion_tokens?: number | null | undefined
    readonly total_tokens?: number | null | undefined
    readonly prompt_tokens_details?: {
      readonly cached_tokens?: number | null | undefined
    } | null | undefined
    readonly completion_tokens_details?: {
      readonly reasoning_tokens?: number | null | undefined
    } | null | undefined
  } | null | undefined
}

/** Fields that are not listed go to the model provider unchanged. */
export type ChatCompletionRequest = {
  /** A model name or alias */
  readonly model: string
  readonly messages: readonly ({
    readonly role: string
    readonly content?: unknown | undefined
  })[]
  /** true: the answer comes as server-sent events */
  readonly stream?: boolean | null | undefined
  readonly stream_options?: {
    readonly include_usage?: boolean | undefined
  } | null | undefined
  readonly documents?: {
    readonly category?: string | readonly string[] | null | undefined
    readonly owners?: string | readonly string[] | null | undefined
    readonly doc_id?: string | readonly string[] | null | undefined
    /** Most sources; 6 when left out */
    readonly top_k?: number | null | undefined
    /** auto when left out */
    readonly mode?: "auto" | "hybrid" | "vector" | "keyword" | null | undefined
    /** Neighbouring passages of each source, or the text under its heading */
    readonly window?: number | "section" | null | undefined
    /** Most sources of one document */
    readonly max_per_document?: number | null | undefined
    /** Let a model write, from the conversation, what is searched for; `retrieval` of the answer tells it */
    readonly rewrite?: boolean | {
      readonly model: string
    } | null | undefined
    /** Most tokens of all sources together */
    readonly max_tokens?: number | null | undefined
  } | readonly unknown[] | null | undefined
}

export type Chunk = {
  readonly id: string
  /** Place in the document, from 0 */
  readonly ordinal: number
  /** Offset in the document's text, in Unicode code points */
  readonly start: number
  readonly end: number
  readonly page: number | null
  /** Name of the sheet or attachment */
  readonly page_label: string | null
  readonly heading_path: readonly string[]
  /** Header of the table in which the chunk begins */
  readonly table_header: string | null
  readonly tokens: number
  readonly text: string
}

export type ClassifyAnswer = {
  /** One score for each pair, in their order */
  readonly result: readonly (readonly number[])[]
}

export type ClassifyRequest = {
  /** Pairs of a query and a document */
  readonly text: readonly (readonly string[])[]
  /** A consumer group, or a rerank model or its alias; null = classify */
  readonly consumer_group?: string | null | undefined
}

export type ClientSecret = {
  readonly value: string
  /** Seconds since 1970 */
  readonly expires_at: number
  readonly session: {}
}

export type ClientSecretRequest = {
  readonly session: {
    readonly type?: "realtime" | undefined
    /** A model name or alias */
    readonly model: string
  }
  readonly expires_after?: {
    readonly anchor?: "created_at" | undefined
    /** 600 when left out */
    readonly seconds?: number | undefined
  } | undefined
}

export type CohereError = {
  readonly id: string
  readonly message: string
  /** Stable, for programs */
  readonly code: string | null
}

export type Completion = {
  readonly id?: string | undefined
  readonly created?: number | undefined
  readonly model?: string | undefined
  /** text_completion */
  readonly object?: string | undefined
  readonly choices: readonly ({
    readonly index?: number | undefined
    readonly text?: string | undefined
    /** stop, length, tool_calls or content_filter; null before the end */
    readonly finish_reason?: string | null | undefined
  })[]
  readonly usage?: {
    readonly prompt_tokens?: number | null | undefined
    readonly completion_tokens?: number | null | undefined
    readonly total_tokens?: number | null | undefined
    readonly prompt_tokens_details?: {
      readonly cached_tokens?: number | null | undefined
    } | null | undefined
    readonly completion_tokens_details?: {
      readonly reasoning_tokens?: number | null | undefined
    } | null | undefined
  } | null | undefined
}

/** Fields that are not listed go to the model provider unchanged. */
export type CompletionRequest = {
  /** A model name or alias */
  readonly model: string
  readonly prompt?: string | readonly unknown[] | null | undefined
  /** What comes after the text, for models that fill in the middle */
  readonly suffix?: string | null | undefined
  /** true: the answer comes as server-sent events */
  readonly stream?: boolean | null | undefined
  readonly stream_options?: {
    readonly include_usage?: boolean | undefined
  } | null | undefined
}

/** The models that this one stands for. */
export type Composite = {
  /** weighted: the least busy for its weight; priority: the lowest first; latency: the fastest; affinity: the one that had the beginning of the prompt before */
  readonly strategy: "weighted" | "priority" | "latency" | "affinity"
  /** Plain models, each by name or id; answers give the id */
  readonly components: readonly ({
    readonly model: string
    readonly weight: number
    readonly priority: number
    readonly enabled: boolean
  })[]
  /** What is left out is as in the settings failover.* */
  readonly failover: {
    readonly statuses?: readonly number[] | undefined
    readonly max_attempts?: number | undefined
    readonly budget_seconds?: number | undefined
  }
}

export type ContentLog = {
  readonly id: string
  readonly at: string
  readonly request_id: string
  readonly user_id: string
  readonly key_id: string | null
  readonly model: string
  readonly endpoint: string
  readonly status: number
  readonly code: string | null
  /** Some of the prompt is missing */
  readonly request_cut: boolean
  readonly answer_cut: boolean
  /** Around the text that was searched for */
  readonly excerpt: string | null
}

export type Conversation = {
  readonly id: string
  readonly object: "conversation"
  readonly created_at: number
  readonly metadata: { readonly [name: string]: string }
}

export type ConversationItemsRequest = {
  /** Input items of the Responses API */
  readonly items?: readonly ({})[] | null | undefined
}

export type ConversationRequest = {
  /** Input items of the Responses API */
  readonly items?: readonly ({})[] | null | undefined
  /** Up to 16 texts */
  readonly metadata?: { readonly [name: string]: string } | null | undefined
}

export type ConversationUpdate = {
  /** Up to 16 texts */
  readonly metadata?: { readonly [name: string]: string } | null | undefined
}

export type CreatedApiKey = {
  readonly id: string
  readonly name: string
  readonly description: string
  /** The part of the secret that may be displayed */
  readonly prefix: string
  /** The secret before the last rotation; null = none works beside the new one */
  readonly previous: {
    readonly prefix: string
    /** It is refused from then on */
    readonly until: string
  } | null
  readonly user_id: string
  readonly created_at: string
  /** Written about once a minute; null = never */
  readonly last_used_at: string | null
  readonly expires_at: string | null
  readonly scopes: {
    /** Model names; null = all that the user has */
    readonly models: readonly string[] | null
    /** null = all */
    readonly areas: readonly ("inference" | "documents" | "admin" | "scim")[] | null
  }
  /** The class in which its requests wait for a scarce model */
  readonly priority: "interactive" | "normal" | "batch"
  /** Another one after each change of what can be set. As `If-Match`, it makes a change of another version fail with 409 */
  readonly etag: string
  /** The key itself. It is in no other answer: keep it now */
  readonly secret: string
}

export type DetokenizeAnswer = {
  readonly text: string
}

export type DetokenizeRequest = {
  readonly tokens: readonly string[] | readonly number[]
  /** Has no effect: there are no special tokens */
  readonly skip_special_tokens?: boolean | null | undefined
}

export type Document = {
  readonly doc_id: string
  readonly name: string
  /** The title that the file itself states */
  readonly title: string | null
  /** Names under which the same file was imported again, the first hundred */
  readonly other_names: readonly string[]
  readonly category: string
  /** What was set, and what the file itself states, for example its author */
  readonly metadata: {}
  readonly owners: readonly string[]
  readonly state: "queued" | "reading" | "chunking" | "embedding" | "storing" | "completed" | "failed" | "cancelled"
  readonly progress: {
    readonly pages: {
      readonly done: number
      readonly total: number
    }
    readonly chunks: {
      readonly done: number
      readonly total: number
    }
    readonly embedded: {
      readonly done: number
      readonly total: number
    }
  }
  readonly attempts: number
  readonly error: {
    readonly code: string
    readonly stage: string
    readonly message: string
    readonly retryable: boolean
  } | null
  readonly warnings: readonly string[]
  readonly bytes: number
  readonly sha256: string
  /** Told by the content; null until it was read */
  readonly media_type: string | null
  /** Rises when the document is given other bytes */
  readonly version: number
  /** Where the file comes from; null when its import did not say */
  readonly source: string | null
  /** The file within its source */
  readonly source_id: string | null
  readonly source_version: string | null
  /** A version of it can be found: this one, or the one before while this one is made */
  readonly searchable: boolean
  readonly reader: {
    readonly name: string
  }
  readonly chunker: {
    readonly name: string
  }
  readonly embedder: {
    readonly name: string
  }
  readonly created_at: string
  readonly updated_at: string
  /** When each state was last entered */
  readonly timestamps: { readonly [name: string]: string }
}

export type DocumentChange = {
  readonly name?: string | undefined
  readonly source_id?: string | undefined
  readonly source_version?: string | undefined
  readonly metadata?: { readonly [name: string]: unknown } | undefined
}

export type DocumentImport = {
  readonly files: readonly FileItem[]
  /** A name, or an object with a name and options; GET /api/v1/documents/options lists them */
  readonly reader?: string | {
    readonly name: string
  } | null | undefined
  readonly chunker?: string | {
    readonly name: string
  } | null | undefined
  readonly embedder?: string | {
    readonly name: string
  } | null | undefined
  /** Size of a chunk, in the chunker's own unit */
  readonly chunk_units?: number | null | undefined
  /** Units that two neighbours share; less than chunk_units */
  readonly chunk_overlap?: number | null | undefined
  /** Answer when all accepted files have ended */
  readonly wait_for_completion?: boolean | undefined
}

export type DocumentImportAnswer = {
  readonly accepted: readonly ImportedFileItem[]
  readonly duplicate: readonly ImportedFileItem[]
  readonly invalid: readonly ImportedFileItem[]
  /** About the request as a whole */
  readonly warnings?: readonly string[] | undefined
}

export type DocumentOptions = {
  readonly readers: {
    readonly names: readonly string[]
    readonly default: string
  }
  readonly chunkers: {
    readonly default: string
    readonly data: readonly ({
      readonly name: string
      /** What chunk_units and chunk_overlap count */
      readonly unit: string
      /** Default */
      readonly chunk_units: number
      /** Default */
      readonly chunk_overlap: number
      readonly chunk_units_max: number
    })[]
  }
  /** Those that are built in; an embedding model of the gateway is one too */
  readonly embedders: {
    readonly names: readonly string[]
    readonly default: string
  }
  /** The only ones that there may be; null when any may be used */
  readonly categories: readonly string[] | null
  readonly max_file_bytes: number
}

export type EmbedAnswer = {
  readonly result: readonly (readonly number[])[]
}

export type EmbedRequest = {
  readonly text: string | readonly string[]
  /** A consumer group, or a model or alias; null = primary */
  readonly consumer_group?: string | null | undefined
}

export type Embeddings = {
  /** list */
  readonly object?: string | undefined
  readonly model?: string | undefined
  readonly data: readonly ({
    /** embedding */
    readonly object?: string | undefined
    readonly index?: number | undefined
    /** Numbers, or with encoding_format base64 their little-endian 32-bit floats */
    readonly embedding: readonly number[] | string
  })[]
  readonly usage?: {
    readonly prompt_tokens?: number | null | undefined
    readonly total_tokens?: number | null | undefined
  } | null | undefined
}

/** Fields that are not listed go to the model provider unchanged. */
export type EmbeddingsRequest = {
  /** A model name or alias */
  readonly model: string
  /** A text, texts, or tokens */
  readonly input: string | readonly unknown[]
}

export type Error = {
  readonly error: {
    /** What went wrong and what to do next, for people */
    readonly message: string
    readonly type: string
    /** The field at fault, as a dotted path */
    readonly param: string | null
    /** Stable, for programs */
    readonly code: string | null
    /** With `record_changed`: the record as it is now */
    readonly current?: { readonly [name: string]: unknown } | undefined
  }
}

export type File = {
  readonly id: string
  readonly object: "file"
  readonly bytes: number
  /** Seconds since 1970 */
  readonly created_at: number
  readonly expires_at?: number | undefined
  readonly filename: string
  readonly purpose: "assistants" | "batch" | "user_data" | "vision" | "batch_output"
  readonly status: "processed"
}

export type FileItem = {
  /** Shown to people; not trusted for what the content is */
  readonly name: string
  /** The content in base64, or the text itself; this or `path` */
  readonly bytes?: string | null | undefined
  /** What `bytes` is, when it must not be guessed */
  readonly encoding?: "base64" | "utf-8" | null | undefined
  readonly category: string
  /** A file of the server, below one of documents.import_roots; this or `bytes` */
  readonly path?: string | null | undefined
  /** A page or a file on the web, which the server fetches in the background; in place of `bytes` and `path`. Its next import replaces this version */
  readonly url?: string | null | undefined
  /** Chosen by the server when left out */
  readonly doc_id?: string | null | undefined
  /** Where files come from: the name of a folder, a bucket or a site. With `source_id` */
  readonly source?: string | null | undefined
  /** The file within its source: a path, a key, an address. The next import of the same file replaces this version when it is completed */
  readonly source_id?: string | null | undefined
  /** Tells whether the file has changed: a time, an ETag. Returned by the manifest of the source */
  readonly source_version?: string | null | undefined
  /** Any JSON object; searches and lists can be filtered by its values */
  readonly metadata?: { readonly [name: string]: unknown } | null | undefined
  /** User ids, e-mail addresses, group:<name> or everyone; the importing user when left out */
  readonly owners?: string | readonly string[] | null | undefined
}

export type FileUpload = {
  /** The content, with its name */
  readonly file: string
  readonly purpose: "assistants" | "batch" | "user_data" | "vision"
  readonly "expires_after[anchor]"?: "created_at" | undefined
  readonly "expires_after[seconds]"?: number | undefined
}

export type FoundProviders = {
  readonly data: readonly ({
    readonly preset: string
    readonly title: string
    /** An address on this machine, or the name of an environment variable */
    readonly where: string
    /** How many models it has; null for a vendor, which is not asked */
    readonly models: number | null
  })[]
}

export type FullContentLog = {
  readonly id: string
  readonly at: string
  readonly request_id: string
  readonly user_id: string
  readonly key_id: string | null
  readonly model: string
  readonly endpoint: string
  readonly status: number
  readonly code: string | null
  /** Some of the prompt is missing */
  readonly request_cut: boolean
  readonly answer_cut: boolean
  /** JSON as the client sent it, redacted; cut off when `request_cut` */
  readonly request: string
  /** JSON as for a request without `stream`; null when there was none */
  readonly answer: string | null
}

export type GeneratedText = {
  /** An array when the request has one, in its order */
  readonly text: string | readonly string[]
  /** Only when an answer had to have a form and ran out of tokens before its end */
  readonly incomplete?: boolean | readonly boolean[] | undefined
  /** Only with return_metadata */
  readonly metadata?: GenerationMetadata | readonly GenerationMetadata[] | undefined
}

export type GeneratedToken = {
  readonly text: string
  readonly batch_id: number
  readonly incomplete?: boolean | undefined
  /** In the last event of a prompt, with return_metadata */
  readonly metadata?: GenerationMetadata | undefined
}

export type GenerationMetadata = {
  /** Null when the provider does not tell */
  readonly prompt_tokens: number | null
  readonly completion_tokens: number | null
  readonly finish_reason: "stop" | "length"
}

export type GenerationPayload = {
  /** A prompt, or several that are answered separately */
  readonly text: string | readonly string[]
  readonly constrained_decoding_backend?: string | null | undefined
  /** A consumer group, or a model or alias; null = primary */
  readonly consumer_group?: string | null | undefined
  /** At most one file on the server; off by default */
  readonly image_paths?: readonly string[] | null | undefined
  /** A JSON schema for the answer, as an object or as text */
  readonly json_schema?: unknown | undefined
  readonly lora_id?: string | null | undefined
  /** 128 when left out */
  readonly max_new_tokens?: number | null | undefined
  readonly min_new_tokens?: number | null | undefined
  readonly no_repeat_ngram_size?: number | null | undefined
  /** Only this many tokens at the end of each prompt are kept */
  readonly prompt_max_tokens?: number | null | undefined
  /** Token counts of each answer, and why it ended */
  readonly return_metadata?: boolean | null | undefined
  /** An expression that the whole answer matches */
  readonly regex_string?: string | null | undefined
  readonly repetition_penalty?: number | null | undefined
  readonly sampling_temperature?: number | null | undefined
  /** 1 when left out, which is greedy; 0 or -1 = no such limit */
  readonly sampling_topk?: number | null | undefined
  readonly sampling_topp?: number | null | undefined
  readonly use_chat_template?: boolean | null | undefined
}

export type Group = {
  readonly id: string
  readonly name: string
  readonly description: string
  /** What members may do: `documents.share` = name other users, other groups and everyone as owners of documents */
  readonly permissions: readonly ("documents.share")[]
  /** Read-only here, because the configuration file has it */
  readonly declared: boolean
  readonly created_at: string
  /** Another one after each change of what can be set. As `If-Match`, it makes a change of another version fail with 409 */
  readonly etag: string
}

export type GroupChange = {
  readonly name?: string | undefined
  readonly description?: string | undefined
  /** What members may do: `documents.share` = name other users, other groups and everyone as owners of documents */
  readonly permissions?: readonly ("documents.share")[] | undefined
}

export type GroupCreation = {
  readonly name: string
  readonly description?: string | undefined
  /** What members may do: `documents.share` = name other users, other groups and everyone as owners of documents */
  readonly permissions?: readonly ("documents.share")[] | undefined
}

export type Guide = {
  /** The user has put it away */
  readonly hidden: boolean
  /** False while the password is one that another person has chosen */
  readonly own_password: boolean
  /** A model has answered the user once */
  readonly answered: boolean
  readonly has_key: boolean
  /** Beside the practice provider; null for users */
  readonly has_provider: boolean | null
  /** The server has another person; null for users */
  readonly has_colleague: boolean | null
}

export type GuideChange = {
  readonly hidden: boolean
}

/** A multipart/form-data body. It is passed on as it arrives when `model` is its first field. Fields that are not listed go to the model provider unchanged. */
export type ImageEditRequest = {
  /** A model name or alias */
  readonly model: string
  readonly image: string
  readonly prompt: string
}

/** A picture in part, or at the end whole. */
export type ImageEvent = {
  readonly type?: string | undefined
  readonly b64_json?: string | undefined
}

/** The parts may come in either order. */
export type ImageGenerationForm = {
  /** One PNG, JPEG, WebP, GIF, BMP or TIFF file; its bytes decide */
  readonly image_data: string
  readonly json_data: GenerationPayload
}

/** Fields that are not listed go to the model provider unchanged. */
export type ImageGenerationRequest = {
  /** A model name or alias */
  readonly model: string
  readonly prompt: string
  /** true: the answer comes as server-sent events */
  readonly stream?: boolean | null | undefined
}

/** A multipart/form-data body. It is passed on as it arrives when `model` is its first field. Fields that are not listed go to the model provider unchanged. */
export type ImageVariationRequest = {
  /** A model name or alias */
  readonly model: string
  readonly image: string
}

export type Images = {
  readonly created?: number | undefined
  readonly data?: readonly ({
    readonly b64_json?: string | null | undefined
    readonly url?: string | null | undefined
  })[] | null | undefined
  readonly usage?: {} | null | undefined
}

export type ImportedFileItem = {
  readonly name: string
  /** Content is never sent back */
  readonly bytes: ""
  readonly category: string
  readonly path: string
  /** Of a duplicate that of the document that was there before */
  readonly doc_id: string | null
  /** As they were sent */
  readonly owners: string | readonly string[] | null
  /** As it was sent, with a source_id */
  readonly source?: string | undefined
  /** As it was sent */
  readonly source_id?: string | undefined
  /** With wait_for_completion */
  readonly state?: "queued" | "reading" | "chunking" | "embedding" | "storing" | "completed" | "failed" | "cancelled" | undefined
  /** Of an invalid item */
  readonly reason?: {
    readonly code: string
    readonly message: string
  } | undefined
  /** About the fields of the item */
  readonly warnings?: readonly string[] | undefined
}

export type ImportedModels = {
  readonly imported: readonly ModelRecord[]
  readonly skipped: readonly ({
    readonly id: string
    readonly reason: "name_taken" | "not_offered" | "invalid_name"
  })[]
}

export type InflightLimit = {
  readonly user_id: string
  readonly limit: number
  /** Another one after each change of what can be set. As `If-Match`, it makes a change of another version fail with 409 */
  readonly etag: string
}

export type InflightUse = {
  readonly model_id: string
  readonly model: string
  readonly in_use: number
  /** Requests that wait because of `max_concurrent` */
  readonly waiting: number
}

export type Invitation = {
  readonly user_id: string
  /** Of the link, below the address of this server. It is in no other answer: keep it now */
  readonly path: string
  readonly expires_at: string
}

export type InvitationAcceptance = {
  readonly token: string
  readonly password: string
}

export type InvitationCreation = {
  /** How long the link works */
  readonly hours?: number | undefined
}

export type InvitationToken = {
  readonly token: string
}

export type InvitedUser = {
  readonly email: string
  readonly name: string
  readonly expires_at: string
}

export type IssuerTest = {
  readonly issuer: string
  readonly client_id: string
  /** The configured one when left out, if issuer and client id are those that are configured */
  readonly client_secret?: string | undefined
}

export type IssuerTestResult = {
  readonly checks: readonly ({
    readonly name: "address" | "keys" | "client" | "methods" | "callback"
    /** A warning does not keep people from signing in */
    readonly outcome: "ok" | "warning" | "failed"
    readonly message: string
  })[]
}

export type Latency = {
  readonly from: string
  readonly to: string
  /** Buckets and groups without an answered request are left out */
  readonly data: readonly ({
    readonly at: string
    readonly group: string | null
    /** Answered with less than 400 */
    readonly requests: number
    /** Those that had a first token */
    readonly streams: number
    /** Half of the answered requests took no longer; null without any */
    readonly duration_p50_ms: number | null
    /** 95 % of the answered requests took no longer */
    readonly duration_p95_ms: number | null
    /** The same of the time to the first token of streams */
    readonly first_token_p50_ms: number | null
    readonly first_token_p95_ms: number | null
  })[]
}

export type Message = {
  readonly id?: string | undefined
  /** message */
  readonly type: string
  readonly role?: string | undefined
  readonly model?: string | undefined
  readonly content: readonly ({
    readonly type: string
  })[]
  readonly stop_reason?: string | null | undefined
  readonly usage?: {
    readonly input_tokens?: number | null | undefined
    readonly output_tokens?: number | null | undefined
  } | undefined
}

export type MessageBatch = {
  readonly id: string
  readonly type: "message_batch"
  readonly processing_status: "in_progress" | "canceling" | "ended"
  readonly request_counts: {
    readonly processing: number
    readonly succeeded: number
    readonly errored: number
    readonly canceled: number
    readonly expired: number
  }
  readonly created_at: string
  readonly expires_at: string
  readonly ended_at: string | null
  readonly cancel_initiated_at: string | null
  readonly archived_at: string | null
  /** Once the batch has ended */
  readonly results_url: string | null
}

export type MessageBatchRequest = {
  readonly requests: readonly ({
    readonly custom_id: string
    /** A request to /messages */
    readonly params: {}
  })[]
}

/** Each has its type as the name of the event, too. */
export type MessageEvent = {
  readonly type: string
  readonly index?: number | undefined
  readonly delta?: {} | undefined
  readonly usage?: {
    readonly input_tokens?: number | null | undefined
    readonly output_tokens?: number | null | undefined
  } | undefined
}

/** Fields that are not listed go to the model provider unchanged. */
export type MessagesRequest = {
  /** A model name or alias */
  readonly model: string
  readonly max_tokens?: number | undefined
  readonly messages: readonly ({})[]
  /** true: the answer comes as server-sent events */
  readonly stream?: boolean | null | undefined
}

export type Model = {
  /** The model's name */
  readonly id: string
  readonly object: "model"
  /** Seconds since 1970 */
  readonly created: number
  /** The provider's name, or sluice for a composite */
  readonly owned_by: string
  /** Only when asked for, and only where it is known; of a composite what all its components take */
  readonly supported_reasoning_efforts?: readonly ("none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max")[] | undefined
}

export type ModelChange = {
  readonly name?: string | undefined
  /** Makes a plain model of a composite */
  readonly provider_id?: string | null | undefined
  readonly upstream_name?: string | null | undefined
  /** Replaces the provider or the components */
  readonly composite?: NewComposite | null | undefined
  /** Replaces all rules */
  readonly rules?: TrafficRules | undefined
  readonly reasoning?: NewReasoning | null | undefined
  /** Replaces the list */
  readonly aliases?: readonly string[] | undefined
  /** Replaces the list */
  readonly groups?: readonly string[] | undefined
  readonly description?: string | undefined
  readonly active?: boolean | undefined
  readonly context_length?: number | null | undefined
  readonly capabilities?: Capabilities | undefined
  readonly inflight_limit?: number | null | undefined
  /** Requests under way at its provider at once, over all accounts and processes; null = any number */
  readonly max_concurrent?: number | null | undefined
  /** Where lines of batches run: here, or as a batch of the provider’s own where it has them, at its batch price */
  readonly batch?: "local" | "native" | undefined
  readonly timeouts?: Timeouts | undefined
}

export type ModelCreation = {
  /** Shares one namespace with all aliases */
  readonly name: string
  /** The provider that serves it, unless it is a composite */
  readonly provider_id?: string | null | undefined
  /** The provider's own name of the model; `name` when left out */
  readonly upstream_name?: string | null | undefined
  readonly composite?: NewComposite | null | undefined
  readonly rules?: TrafficRules | undefined
  /** null = as its provider's */
  readonly reasoning?: NewReasoning | null | undefined
  readonly aliases?: readonly string[] | undefined
  /** Ids of the groups whose members may call it */
  readonly groups?: readonly string[] | undefined
  readonly description?: string | undefined
  readonly active?: boolean | undefined
  readonly context_length?: number | null | undefined
  readonly capabilities?: Capabilities | undefined
  readonly inflight_limit?: number | null | undefined
  /** Requests under way at its provider at once, over all accounts and processes; null = any number */
  readonly max_concurrent?: number | null | undefined
  /** Where lines of batches run: here, or as a batch of the provider’s own where it has them, at its batch price */
  readonly batch?: "local" | "native" | undefined
  readonly timeouts?: Timeouts | undefined
}

export type ModelImport = {
  /** The provider's names of the models; null = all */
  readonly ids?: readonly string[] | null | undefined
  /** Ids of the groups whose members may call them */
  readonly groups?: readonly string[] | undefined
}

export type ModelPerformance = {
  readonly from: string
  readonly to: string
  /** Models without requests are left out */
  readonly data: readonly ({
    readonly model: string
    /** Null for users: how much others use a model is not shown to them */
    readonly requests: number | null
    /** Share of requests that did not fail by a fault of the model or of this server; null without requests */
    readonly uptime: number | null
    /** Mean over streams */
    readonly first_token_ms: number | null
    /** Half of the answered requests took no longer; null without any */
    readonly duration_p50_ms: number | null
    /** 95 % of the answered requests took no longer */
    readonly duration_p95_ms: number | null
    /** The same of the time to the first token of streams */
    readonly first_token_p50_ms: number | null
    readonly first_token_p95_ms: number | null
    /** Mean over streams, after their first token */
    readonly tokens_per_second: number | null
  })[]
  /** Of the one `model`; hours without requests are left out */
  readonly hours: readonly ({
    readonly at: string
    /** Null for users: how much others use a model is not shown to them */
    readonly requests: number | null
    /** Share of requests that did not fail by a fault of the model or of this server; null without requests */
    readonly uptime: number | null
    /** Mean over streams */
    readonly first_token_ms: number | null
    /** Half of the answered requests took no longer; null without any */
    readonly duration_p50_ms: number | null
    /** 95 % of the answered requests took no longer */
    readonly duration_p95_ms: number | null
    /** The same of the time to the first token of streams */
    readonly first_token_p50_ms: number | null
    readonly first_token_p95_ms: number | null
    /** Mean over streams, after their first token */
    readonly tokens_per_second: number | null
  })[]
}

export type ModelPrice = {
  readonly model_id: string
  readonly model: string
  readonly provider: string
  /** In effect now; null when none is known: the cost of its requests is null */
  readonly price: Price | null
}

export type ModelRecord = {
  readonly id: string
  /** What callers ask for */
  readonly name: string
  readonly aliases: readonly string[]
  /** Null for a composite */
  readonly provider_id: string | null
  /** The provider's own name of the model; null for a composite */
  readonly upstream_name: string | null
  /** Null for a plain model */
  readonly composite: Composite | null
  readonly rules: TrafficRules
  /** Null = as its provider's; always null for a composite */
  readonly reasoning: Reasoning | null
  readonly description: string
  readonly active: boolean
  /** Tokens */
  readonly context_length: number | null
  readonly capabilities: Capabilities
  /** Ids of the groups whose members may call it */
  readonly groups: readonly string[]
  /** Requests in flight per account; null = the setting */
  readonly inflight_limit: number | null
  /** Requests under way at its provider at once, over all accounts; null = any number */
  readonly max_concurrent: number | null
  /** Where lines of batches run: here, or as a batch of the provider’s own where it has them, at its batch price */
  readonly batch: "local" | "native"
  readonly timeouts: Timeouts
  /** Read-only here, because the configuration file has it */
  readonly declared: boolean
  readonly created_at: string
  /** Another one after each change of what can be set. As `If-Match`, it makes a change of another version fail with 409 */
  readonly etag: string
}

/** In Anthropic's form for its clients, else in OpenAI's */
export type ModelsError = {
  /** In Anthropic's form only */
  readonly type?: "error" | undefined
  readonly error: {
    /** What went wrong and what to do next, for people */
    readonly message: string
    readonly type: string
    /** The field at fault, as a dotted path */
    readonly param?: string | null | undefined
    /** Stable, for programs */
    readonly code?: string | null | undefined
    /** error_code: stable, for programs */
    readonly details?: {
      readonly error_code: string
    } | null | undefined
  }
  readonly request_id?: string | undefined
}

export type Moderation = {
  readonly id?: string | undefined
  readonly model?: string | undefined
  readonly results: readonly ({
    readonly flagged: boolean
  })[]
}

/** Fields that are not listed go to the model provider unchanged. */
export type ModerationRequest = {
  /** omni-moderation-latest when left out */
  readonly model?: string | null | undefined
  readonly input: string | readonly unknown[]
}

export type NewBudget = {
  readonly scope: "key" | "user" | "group" | "model" | "provider"
  /** The id of the key, user, group, model or provider */
  readonly scope_id: string
  /** Calendar days, weeks from Monday, months, or all time */
  readonly period: "day" | "week" | "month" | "total"
  /** Where days begin */
  readonly time_zone?: string | undefined
  readonly amount: number
  /** Requests that could exceed it are refused with 402; otherwise it counts and notifies */
  readonly hard?: boolean | undefined
  /** Percentages of the amount at which people are told */
  readonly thresholds?: readonly number[] | undefined
}

/** The models that this one stands for. */
export type NewComposite = {
  /** weighted: the least busy for its weight; priority: the lowest first; latency: the fastest; affinity: the one that had the beginning of the prompt before */
  readonly strategy?: "weighted" | "priority" | "latency" | "affinity" | undefined
  /** Plain models, each by name or id; answers give the id */
  readonly components: readonly ({
    readonly model: string
    readonly weight?: number | undefined
    readonly priority?: number | undefined
    readonly enabled?: boolean | undefined
  })[]
  /** What is left out is as in the settings failover.* */
  readonly failover?: {
    readonly statuses?: readonly number[] | undefined
    readonly max_attempts?: number | undefined
    readonly budget_seconds?: number | undefined
  } | undefined
}

export type NewInflightLimit = {
  /** Requests in flight */
  readonly limit: number
}

export type NewPassword = {
  /** null removes it */
  readonly password: string | null
  /** The user has to choose another at the first sign-in; left out, that is so */
  readonly temporary?: boolean | undefined
}

export type NewPrice = {
  readonly rates: Rates
  /** Other rates for all tokens of a request whose input is longer */
  readonly tiers?: readonly ({
    /** Tokens of input */
    readonly above: number
    readonly rates: Rates
  })[] | undefined
  /** Now when left out */
  readonly valid_from?: string | undefined
  readonly note?: string | undefined
}

/** The efforts that are taken, and what each puts at which JSON pointer of the body that goes upstream. No efforts: it does not reason. */
export type NewReasoning = {
  readonly efforts: readonly ("none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max")[]
  readonly writes?: readonly ({
    readonly pointer: string
    readonly values: { readonly [name: string]: unknown }
  })[] | undefined
}

export type NewSettingValue = {
  readonly value: string | number | boolean | readonly string[] | readonly number[] | { readonly [name: string]: string }
}

export type NewSource = {
  /** Of a bucket with a prefix, of a WebDAV folder, of a Git repository, of a sitemap or a page */
  readonly url: string
  /** `access key id:secret` for s3, `user:password` for webdav, `user:token` for git; never shown again */
  readonly credential?: string | null | undefined
  /** Whose the documents are; runs have the rights of this user */
  readonly user_id: string
  readonly category?: string | undefined
  /** Who may see them; null for the user alone */
  readonly owners?: readonly string[] | null | undefined
  readonly every_minutes?: number | undefined
  readonly enabled?: boolean | undefined
  /** Of s3; us-east-1 when null */
  readonly region?: string | null | undefined
  /** Of git; that of HEAD when null */
  readonly branch?: string | null | undefined
  /** Of git: only files below this folder */
  readonly path?: string | null | undefined
  /** Patterns of files that are left out */
  readonly ignore?: readonly string[] | undefined
  readonly name: string
  readonly kind: "s3" | "webdav" | "git" | "sitemap"
}

export type NewWebhook = {
  /** Where events are sent by POST. https: is strongly advised */
  readonly url: string
  readonly description?: string | undefined
  /** All types when left out */
  readonly types?: readonly ("document.completed" | "document.failed" | "source.completed" | "source.failed" | "batch.completed" | "batch.failed" | "batch.expired" | "batch.cancelled" | "response.completed" | "response.failed" | "response.cancelled" | "response.incomplete" | "budget.threshold" | "provider.down" | "provider.up" | "key.expiring")[] | undefined
  /** Only events that belong to this user; null sends those of all */
  readonly user_id?: string | null | undefined
}

export type OwnBudget = {
  readonly scope: "key" | "user" | "group"
  /** Of the key or group; the e-mail address of the user */
  readonly name: string | null
  readonly period: "day" | "week" | "month" | "total"
  readonly hard: boolean
  readonly amount: number
  readonly spent: number
  /** Taken ahead by processes for requests that run or are to come */
  readonly held: number
  readonly left: number
  /** The highest threshold that was reached, in percent; null below all of them */
  readonly reached: number | null
  readonly renews_at: string | null
}

export type OwnInflightLimit = {
  readonly user_id: string
  readonly user: string
  readonly model_id: string
  readonly model: string
  readonly limit: number
  /** Another one after each change of what can be set. As `If-Match`, it makes a change of another version fail with 409 */
  readonly etag: string
}

export type OwnUsage = {
  readonly currency: string
  /** Beginning of the month, UTC */
  readonly from: string
  readonly requests: number
  readonly prompt_tokens: number
  readonly completion_tokens: number
  /** In 10^-9 of the currency, of requests whose price is known; the whole account, all keys */
  readonly cost: number
  /** Those on the key, its user and the groups of the user; with a session, on all keys of the user */
  readonly budgets: readonly OwnBudget[]
}

export type PasswordChange = {
  readonly current: string
  readonly new: string
}

export type Price = {
  readonly id: string
  readonly model_id: string
  readonly source: "manual" | "declared" | "catalogue"
  readonly valid_from: string
  readonly rates: Rates
  /** Other rates for all tokens of a request whose input is longer */
  readonly tiers: readonly ({
    /** Tokens of input */
    readonly above: number
    readonly rates: Rates
  })[]
  /** For prices from the catalogue: the entry */
  readonly note: string
  readonly created_at: string
  readonly replaced_at: string | null
}

export type PriceImport = {
  /** All models when left out */
  readonly model_ids?: readonly string[] | undefined
}

export type PriceImportResult = {
  /** Models whose prices are now those of the catalogue */
  readonly priced: readonly string[]
  /** Models that the catalogue does not have */
  readonly unknown: readonly string[]
}

export type PriceRecomputation = {
  /** First moment that counts */
  readonly from: string
  /** First moment that no longer counts */
  readonly to: string
  /** Plain models; all when left out */
  readonly model_ids?: readonly string[] | undefined
  /** Change nothing */
  readonly dry_run?: boolean | undefined
  /** `next_cursor` of the answer before */
  readonly cursor?: string | null | undefined
}

export type PriceRecomputationResult = {
  /** Records that were looked at: those that a provider has answered */
  readonly records: number
  /** Records that have, or would have, another cost */
  readonly changed: number
  /** Records whose model does not exist any more: they keep their cost */
  readonly skipped: number
  /** Sum of their costs before, in 10^-9 of the currency */
  readonly before: number
  /** Sum of their costs now */
  readonly after: number
  /** Send it as `cursor` to go on; null when all are done */
  readonly next_cursor: string | null
}

export type ProcessAge = {
  /** null: the process that answers */
  readonly id: string | null
  /** Time since it has said so */
  readonly age_ms: number
}

export type Provider = {
  readonly id: string
  /** Shown as `owned_by` of its models */
  readonly name: string
  readonly kind: string
  /** Empty for a kind without a server */
  readonly base_url: string
  readonly has_credential: boolean
  /** Further headers of every request; their values are not shown */
  readonly header_names: readonly string[]
  readonly timeouts: Timeouts
  /** What only its kind knows; secrets among them read [secret] */
  readonly options: { readonly [name: string]: unknown }
  /** For all its models without their own; null = what is known about the vendor */
  readonly reasoning: Reasoning | null
  /** Requests under way at all its models at once; null = any number */
  readonly max_concurrent: number | null
  /** Its servers, when it has several; null = the one at `base_url` */
  readonly servers: {
    /** Further servers with the same models */
    readonly urls: readonly string[]
    /** What the host of `base_url` leads to: a: each address is a server; srv: each SRV record; null = one server */
    readonly dns: "a" | "srv" | null
    /** How requests choose among them */
    readonly strategy: "affinity" | "weighted" | "latency"
  } | null
  readonly enabled: boolean
  /** Read-only here, because the configuration file has it */
  readonly declared: boolean
  readonly created_at: string
  /** Another one after each change of what can be set. As `If-Match`, it makes a change of another version fail with 409 */
  readonly etag: string
}

export type ProviderChange = {
  readonly name?: string | undefined
  readonly kind?: "openai" | "takeoff" | "demo" | "anthropic" | "google" | "bedrock" | "mistral" | "cohere" | "ai-sdk" | undefined
  readonly base_url?: string | undefined
  /** null removes it; left out: as it is */
  readonly credential?: string | null | undefined
  /** Set one by one; null removes one */
  readonly headers?: { readonly [name: string]: string | null } | undefined
  readonly timeouts?: Timeouts | undefined
  /** Set one by one; null removes one */
  readonly options?: { readonly [name: string]: unknown } | undefined
  readonly reasoning?: NewReasoning | null | undefined
  /** Requests under way at all its models at once, over all accounts and processes; null = any number */
  readonly max_concurrent?: number | null | undefined
  /** Its servers, when it has several: `urls` of others than `base_url`, `dns` for what the host of `base_url` leads to (a: each address is a server; srv: each SRV record), `strategy` for how requests choose; null = the one at `base_url` */
  readonly servers?: {
    readonly urls?: readonly string[] | undefined
    readonly dns?: "a" | "srv" | null | undefined
    readonly strategy?: "affinity" | "weighted" | "latency" | undefined
  } | null | undefined
  readonly enabled?: boolean | undefined
}

export type ProviderCreation = {
  readonly name: string
  readonly kind?: "openai" | "takeoff" | "demo" | "anthropic" | "google" | "bedrock" | "mistral" | "cohere" | "ai-sdk" | undefined
  readonly base_url?: string | undefined
  /** Sent as the bearer token; never shown again */
  readonly credential?: string | null | undefined
  readonly headers?: { readonly [name: string]: string } | undefined
  readonly timeouts?: Timeouts | undefined
  /** What only its kind knows, such as region or package */
  readonly options?: { readonly [name: string]: unknown } | undefined
  /** For all its models; null = what is known about the vendor */
  readonly reasoning?: NewReasoning | null | undefined
  /** Requests under way at all its models at once, over all accounts and processes; null = any number */
  readonly max_concurrent?: number | null | undefined
  /** Its servers, when it has several: `urls` of others than `base_url`, `dns` for what the host of `base_url` leads to (a: each address is a server; srv: each SRV record), `strategy` for how requests choose; null = the one at `base_url` */
  readonly servers?: {
    readonly urls?: readonly string[] | undefined
    readonly dns?: "a" | "srv" | null | undefined
    readonly strategy?: "affinity" | "weighted" | "latency" | undefined
  } | null | undefined
  readonly enabled?: boolean | undefined
}

export type ProviderHealth = {
  readonly provider_id: string
  /** How many of its active models are in which state; unknown: not asked yet */
  readonly states: { readonly [name: string]: number }
  /** Requests that it is serving */
  readonly in_flight: number
  /** Requests that wait because of its `max_concurrent` */
  readonly waiting: number
  /** Each server of a provider that may have several, as its model that does worst there */
  readonly servers: readonly ({
    readonly address: string
    readonly state: "unknown" | "healthy" | "failing" | "out" | "resting"
    readonly in_flight: number
  })[]
}

export type ProviderKind = {
  readonly kind: string
  readonly description: string
  readonly needs_base_url: boolean
}

export type ProviderPreset = {
  readonly name: string
  readonly title: string
  readonly kind: string
  /** local: a server that usually runs on the machine of this one */
  readonly place: "local" | "vendor"
  /** Its usual address */
  readonly base_url: string
  /** What the service wants besides the credential */
  readonly headers: { readonly [name: string]: string }
}

export type ProviderTest = {
  readonly ok: boolean
  readonly models: readonly ({
    readonly id: string
    /** Tokens */
    readonly context_length: number | null
  })[]
  readonly latency_ms: number
  /** What went wrong, when `ok` is false */
  readonly error?: string | undefined
}

/** The best first. */
export type RankedDocuments = {
  readonly id?: string | undefined
  readonly results: readonly ({
    readonly index: number
    readonly relevance_score: number
    readonly document?: unknown | undefined
  })[]
}

/** By kind, in 10^-9 of the currency: tokens per million, `request`, `image`, `second` of audio and `machine_hour` for one. A part of the tokens without a rate has that of the whole; what has none costs nothing. */
export type Rates = { readonly [name: string]: number }

export type Reader = {
  /** The model's name */
  readonly reader_id: string
  readonly device: "api"
  readonly model_name: string
  readonly model_type: null
  /** Always empty: the processes are with the providers */
  readonly pids: readonly number[]
  /** A provider of the model is switched on */
  readonly ready: boolean
}

/** By consumer group; each model is a group of its own, too. */
export type ReaderGroups = { readonly [name: string]: readonly Reader[] }

export type RealtimeSession = {
  readonly client_secret: {
    readonly value: string
    readonly expires_at: number
  }
}

export type RealtimeSessionRequest = {
  readonly type?: "realtime" | undefined
  /** A model name or alias */
  readonly model: string
}

/** The efforts that are taken, and what each puts at which JSON pointer of the body that goes upstream. No efforts: it does not reason. */
export type Reasoning = {
  readonly efforts: readonly ("none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max")[]
  readonly writes: readonly ({
    readonly pointer: string
    readonly values: { readonly [name: string]: unknown }
  })[]
}

export type RequestRecord = {
  readonly at: string
  readonly request_id: string
  readonly user_id: string | null
  readonly key_id: string | null
  readonly endpoint: string
  /** As the client wrote it */
  readonly model_asked: string | null
  /** Canonical name of the model that served */
  readonly model: string | null
  readonly provider: string | null
  readonly status: number
  /** Of the error; null for a success */
  readonly code: string | null
  readonly upstream_status: number | null
  /** Calls to providers */
  readonly attempts: number
  /** The plain model that served, of a composite one of its components */
  readonly upstream_model: string | null
  /** The calls that failed, in their order; records of earlier versions have `provider` and `reason` only */
  readonly attempt_reasons: readonly ({
    readonly provider: string
    readonly reason: string
    readonly model: string | null
    /** What the provider answered; null when it did not */
    readonly status: number | null
    /** Never quotes the request */
    readonly message: string | null
    /** From the arrival; null when nothing was sent */
    readonly started_ms: number | null
    readonly duration_ms: number | null
  })[]
  /** The limits that counted the request, in their order; none for records of earlier versions */
  readonly limits: readonly ({
    readonly kind: "inflight" | "rate" | "budget" | "queue"
    /** A rate as the setting has it; else whose limit it is */
    readonly name: string
    /** `money` is 10^-9 of the currency */
    readonly unit: "requests" | "tokens" | "money"
    readonly limit: number
    /** Right after this request, as far as the process knew; null for unknown */
    readonly left: number | null
    /** The request was answered with an error because of it */
    readonly refused: boolean
  })[]
  /** Time in the queues of `max_concurrent`; null when it did not wait */
  readonly queue_ms: number | null
  /** From the arrival until the last call of a provider began */
  readonly called_ms: number | null
  readonly streamed: boolean
  readonly prompt_tokens: number | null
  readonly completion_tokens: number | null
  readonly cached_tokens: number | null
  readonly cache_write_tokens: number | null
  readonly reasoning_tokens: number | null
  /** In 10^-9 of the currency; null when it is not known */
  readonly cost: number | null
  readonly price_id: string | null
  /** Of `cost` */
  readonly currency: string
  readonly first_token_ms: number | null
  readonly duration_ms: number
  readonly request_bytes: number
  readonly response_bytes: number
}

/** Fields that are not listed go to the model provider unchanged. */
export type RerankRequest = {
  /** A model name or alias */
  readonly model: string
  readonly query: unknown
  readonly documents: readonly unknown[]
  readonly top_n?: number | null | undefined
}

export type Response = {
  readonly id: string
  /** response */
  readonly object: string
  /** completed, incomplete, failed, cancelled, queued or in_progress */
  readonly status?: string | undefined
  readonly model?: string | undefined
  readonly output: readonly ({
    readonly type: string
  })[]
  readonly error?: {
    readonly code?: string | null | undefined
    readonly message?: string | null | undefined
  } | null | undefined
  readonly usage?: {
    readonly input_tokens?: number | null | undefined
    readonly output_tokens?: number | null | undefined
    readonly total_tokens?: number | null | undefined
  } | null | undefined
}

/** Each has its type as the name of the event, too. */
export type ResponseEvent = {
  readonly type: string
  readonly sequence_number?: number | undefined
  readonly response?: Response | undefined
}

/** Fields that are not listed go to the model provider unchanged. */
export type ResponsesRequest = {
  /** A model name or alias */
  readonly model: string
  readonly input: unknown
  readonly instructions?: string | null | undefined
  /** true: the answer comes as server-sent events */
  readonly stream?: boolean | null | undefined
}

export type RoutingForecast = {
  /** Ten a second, as if all began now */
  readonly requests: number
  /** Requests that no component answered */
  readonly failed: number
  /** The longest time that a request lost in calls that failed */
  readonly lost_ms: number
  /** In the order of the composite */
  readonly components: readonly ({
    readonly model_id: string
    readonly model: string
    readonly provider: string | null
    /** Its health now */
    readonly state: "unknown" | "healthy" | "failing" | "out" | "resting" | "off"
    /** As was asked, or because it is ejected now */
    readonly is_down: boolean
    /** Requests that went there first */
    readonly chosen: number
    /** Requests that it answered */
    readonly served: number
    /** Those of them that another component had failed before */
    readonly rescued: number
    /** Calls that it failed */
    readonly failures: number
  })[]
}

export type RoutingQuestion = {
  readonly composite: NewComposite
  /** Ids of plain models that fail every request */
  readonly down?: readonly string[] | undefined
}

export type ScimError = {
  readonly schemas: readonly string[]
  readonly detail: string
  readonly status: string
  readonly scimType?: string | undefined
}

export type ScimResource = {
  readonly schemas: readonly string[]
}

export type SearchAnswer = {
  readonly object: "list"
  /** The best first */
  readonly data: readonly SearchHit[]
  /** How it was searched */
  readonly mode: "hybrid" | "vector" | "keyword"
  /** By key, the most frequent values first, at most 100 each; only when `facets` were asked for */
  readonly facets?: { readonly [name: string]: readonly ({
    readonly value: string | number | boolean | null
    /** Documents that you see and the filters let through */
    readonly documents: number
  })[] } | undefined
  /** What could not be searched, and why */
  readonly warnings: readonly string[]
}

export type SearchHit = {
  readonly doc_id: string
  /** The document's name */
  readonly name: string
  readonly title: string | null
  readonly category: string
  /** That of the document */
  readonly metadata: {}
  readonly id: string
  /** Place in the document, from 0 */
  readonly ordinal: number
  /** Offset in the document's text, in Unicode code points */
  readonly start: number
  readonly end: number
  readonly page: number | null
  /** Name of the sheet or attachment */
  readonly page_label: string | null
  readonly heading_path: readonly string[]
  /** Header of the table in which the chunk begins */
  readonly table_header: string | null
  readonly tokens: number
  readonly text: string
  /** Higher is better; 1 is first in every list. That of the rerank model, if there is one */
  readonly score: number
  readonly scores: {
    /** Cosine similarity; null when it is not among the best by meaning */
    readonly vector: {
      readonly score: number
      /** Place in this list, from 1 */
      readonly rank: number
    } | null
    /** null when it is not among the best by words */
    readonly keyword: {
      readonly score: number
      /** Place in this list, from 1 */
      readonly rank: number
    } | null
    /** null when no rerank model was asked, or it left the passage out */
    readonly rerank: {
      readonly score: number
      /** Place in this list, from 1 */
      readonly rank: number
    } | null
  }
  /** Neighbours before it, in the order of the text */
  readonly before: readonly Chunk[]
  readonly after: readonly Chunk[]
}

export type SearchRequest = {
  readonly query: string
  /** Most hits */
  readonly top_k?: number | undefined
  /** By meaning (vector), by words (keyword), or by both (hybrid); auto: by both, or by words where no model has embedded the documents */
  readonly mode?: "auto" | "hybrid" | "vector" | "keyword" | undefined
  /** Neighbouring chunks on either side of each hit; "section" for those under the same heading, up to ten on either side */
  readonly window?: number | "section" | undefined
  /** Most hits of one document; others take the places */
  readonly max_per_document?: number | undefined
  /** Only documents of these categories */
  readonly category?: string | readonly string[] | null | undefined
  /** Only documents with one of these owners */
  readonly owners?: string | readonly string[] | null | undefined
  /** Only these documents */
  readonly doc_id?: string | readonly string[] | null | undefined
  /** Only documents whose metadata this lets through: {"type": "eq", "key": "year", "value": 2024}; also ne, gt, gte, lt, lte, in, nin, range, exists, and, or, not */
  readonly filter?: {
    readonly type: string
  } | null | undefined
  /** Keys of metadata: the answer counts the documents that may be found by their values */
  readonly facets?: readonly string[] | null | undefined
  /** Let a rerank model order the best candidates: true for the model of the settings, false for none; left out: as the settings say. Without an answer the order stays, with a warning */
  readonly rerank?: boolean | {
    /** A rerank model of this gateway; that of the settings when left out */
    readonly model?: string | undefined
    /** Passages that it reads; at least `top_k` */
    readonly candidates?: number | undefined
  } | undefined
}

export type Session = {
  readonly id: string
  readonly created_at: string
  readonly expires_at: string
  /** Written about once a minute; null = not since it began */
  readonly seen_at: string | null
  /** How the browser names itself */
  readonly agent: string | null
  /** From where the sign-in came */
  readonly address: string | null
  /** The session of this request */
  readonly current: boolean
}

export type Setting = {
  readonly name: string
  /** A secret reads [secret]; null = not set */
  readonly value: string | number | boolean | readonly string[] | readonly number[] | { readonly [name: string]: string } | null
  readonly default: string | number | boolean | readonly string[] | readonly number[] | { readonly [name: string]: string } | null
  /** Where the value comes from */
  readonly source: string
  /** boot: read at start; live: may be changed here */
  readonly class: "boot" | "live"
  /** False also for a live setting that the file, the environment or the command line fixes */
  readonly editable: boolean
  readonly type: string
  readonly unit: string | null
  readonly sentence: string
  readonly expected: string
  /** Environment variable that sets it */
  readonly variable: string
  /** Another one after each change of what can be set. As `If-Match`, it makes a change of another version fail with 409 */
  readonly etag: string
}

export type SignIn = {
  readonly email: string
  readonly password: string
  /** Replaces the password; needed with one that another person has chosen */
  readonly new_password?: string | undefined
}

export type SignInOptions = {
  /** Signing in with e-mail address and password is always possible */
  readonly password: true
  /** The first issuer; null where it is not configured */
  readonly oidc: {
    readonly label: string
    /** Where the browser has to go */
    readonly url: string
  } | null
  /** All issuers in the order of their buttons, the first one too */
  readonly issuers: readonly ({
    readonly label: string
    readonly url: string
  })[]
}

export type Source = {
  readonly id: string
  readonly name: string
  readonly kind: "s3" | "webdav" | "git" | "sitemap"
  /** Of a bucket with a prefix, of a WebDAV folder, of a Git repository, of a sitemap or a page */
  readonly url: string
  /** Whose the documents are; runs have the rights of this user */
  readonly user_id: string
  readonly category: string
  /** Who may see them; null for the user alone */
  readonly owners: readonly string[] | null
  readonly every_minutes: number
  readonly enabled: boolean
  /** Of s3; us-east-1 when null */
  readonly region: string | null
  /** Of git; that of HEAD when null */
  readonly branch: string | null
  /** Of git: only files below this folder */
  readonly path: string | null
  /** Patterns of files that are left out */
  readonly ignore: readonly string[]
  readonly has_credential: boolean
  readonly running_since: string | null
  readonly next_run_at: string
  readonly last_run: {
    readonly outcome: "completed" | "failed"
    readonly begun_at: string
    readonly ended_at: string
    readonly imported: number
    readonly moved: number
    readonly deleted: number
    readonly unchanged: number
    /** Files that could not be imported */
    readonly failed: number
    readonly errors: readonly string[]
  } | null
  readonly created_at: string
  /** Another one after each change of what can be set. As `If-Match`, it makes a change of another version fail with 409 */
  readonly etag: string
}

export type SourceChange = {
  /** Of a bucket with a prefix, of a WebDAV folder, of a Git repository, of a sitemap or a page */
  readonly url?: string | undefined
  /** `access key id:secret` for s3, `user:password` for webdav, `user:token` for git; never shown again */
  readonly credential?: string | null | undefined
  /** Whose the documents are; runs have the rights of this user */
  readonly user_id?: string | undefined
  readonly category?: string | undefined
  /** Who may see them; null for the user alone */
  readonly owners?: readonly string[] | null | undefined
  readonly every_minutes?: number | undefined
  readonly enabled?: boolean | undefined
  /** Of s3; us-east-1 when null */
  readonly region?: string | null | undefined
  /** Of git; that of HEAD when null */
  readonly branch?: string | null | undefined
  /** Of git: only files below this folder */
  readonly path?: string | null | undefined
  /** Patterns of files that are left out */
  readonly ignore?: readonly string[] | undefined
}

export type SourceManifest = {
  readonly data: readonly ({
    readonly doc_id: string
    readonly source_id: string
    /** As the last import of the file said */
    readonly source_version: string | null
    /** Of the newest version, whatever its state */
    readonly sha256: string
    readonly bytes: number
    readonly state: "queued" | "reading" | "chunking" | "embedding" | "storing" | "completed" | "failed" | "cancelled"
  })[]
  /** Send it as `after` for those that follow; null at the end */
  readonly next: string | null
}

/** Fields that are not listed go to the model provider unchanged. */
export type SpeechRequest = {
  /** A model name or alias */
  readonly model: string
  readonly input: string
  readonly voice?: unknown | undefined
}

export type TakeoffStatus = {
  readonly status: {
    readonly live_readers: { readonly [name: string]: Reader }
    readonly dead_readers: { readonly [name: string]: Reader }
  }
  readonly config: {}
}

export type TestSignIn = {
  /** The code with which a sign-in would have been refused; null for none */
  readonly refusal: string | null
  readonly issuer: string
  readonly subject: string | null
  /** As the issuer sent it; null when it sent none */
  readonly email: string | null
  readonly email_verified: boolean
  readonly name: string
  /** Values of the groups claim, at most 50 */
  readonly sent_groups: readonly string[]
  /** Which account the person would sign in to */
  readonly account: "existing" | "new" | null
  /** Groups of this server that the person would be in */
  readonly groups: readonly string[]
  /** Whether `admin_groups` makes the person an administrator */
  readonly is_admin: boolean
}

/** Four different silences; one that is left out is as in the settings. */
export type Timeouts = {
  readonly connect_seconds?: number | undefined
  readonly first_token_seconds?: number | undefined
  readonly idle_seconds?: number | undefined
  readonly total_seconds?: number | undefined
}

export type TokenizeAnswer = {
  readonly tokens: readonly string[]
  readonly tokens_count: number
}

export type TokenizeRequest = {
  readonly text: string
  /** Has no effect: the template is with the server of the model */
  readonly use_chat_template?: boolean | null | undefined
}

/** By purpose: deny, or redirect to another model, named by name or id; answers give the id. */
export type TrafficRules = {
  readonly realtime?: {
    readonly action: "deny"
  } | {
    readonly action: "redirect"
    readonly model: string
  } | undefined
  readonly batch?: {
    readonly action: "deny"
  } | {
    readonly action: "redirect"
    readonly model: string
  } | undefined
}

/** As JSON; other values of response_format come as text. */
export type Transcription = {
  readonly text?: string | undefined
}

export type TranscriptionEvent = {
  readonly type: string
  readonly delta?: string | undefined
  readonly text?: string | undefined
}

/** A multipart/form-data body. It is passed on as it arrives when `model` is its first field. Fields that are not listed go to the model provider unchanged. */
export type TranscriptionRequest = {
  /** A model name or alias */
  readonly model: string
  readonly file: string
}

/** A multipart/form-data body. It is passed on as it arrives when `model` is its first field. Fields that are not listed go to the model provider unchanged. */
export type TranslationRequest = {
  /** A model name or alias */
  readonly model: string
  readonly file: string
}

export type Upload = {
  readonly id: string
  readonly object: "upload"
  readonly bytes: number
  readonly created_at: number
  readonly expires_at: number
  readonly filename: string
  readonly purpose: "assistants" | "batch" | "user_data" | "vision"
  readonly status: "pending" | "completed" | "cancelled"
  readonly file: File | null
}

export type UploadCompletion = {
  /** In the order of the file */
  readonly part_ids: readonly string[]
  /** Of the whole file, in hexadecimal */
  readonly md5?: string | undefined
}

export type UploadPart = {
  readonly id: string
  readonly object: "upload.part"
  readonly created_at: number
  readonly upload_id: string
}

export type UploadPartForm = {
  /** The bytes of the part */
  readonly data: string
}

export type UploadRequest = {
  readonly filename: string
  readonly purpose: "assistants" | "batch" | "user_data" | "vision"
  /** What all parts have together */
  readonly bytes: number
  /** Taken, and not looked at */
  readonly mime_type?: string | undefined
  readonly expires_after?: {
    readonly anchor: "created_at"
    readonly seconds: number
  } | undefined
}

export type UpstreamHealth = {
  /** The plain model: a component, or the model itself */
  readonly model_id: string
  readonly model: string
  readonly provider: string
  /** unknown: not asked yet; failing: failed last, but is still asked; out: left out for its failures; resting: asked to be left alone; off: switched off, as component, model or provider */
  readonly state: "unknown" | "healthy" | "failing" | "out" | "resting" | "off"
  readonly failures_in_row: number
  /** When it may be tried again; 0 = now */
  readonly retry_in_ms: number
  /** Smoothed; null while nothing is known */
  readonly first_byte_ms: number | null
  /** Requests that it is serving */
  readonly in_flight: number
  /** Each server of a provider that may have several; the model is as well as the best of them */
  readonly servers: readonly ({
    readonly address: string
    /** unknown: not asked yet; failing: failed last, but is still asked; out: left out for its failures; resting: asked to be left alone; off: switched off, as component, model or provider */
    readonly state: "unknown" | "healthy" | "failing" | "out" | "resting" | "off"
    readonly failures_in_row: number
    /** When it may be tried again; 0 = now */
    readonly retry_in_ms: number
    /** Smoothed; null while nothing is known */
    readonly first_byte_ms: number | null
    /** Requests that it is serving */
    readonly in_flight: number
  })[]
}

export type UsableModel = {
  readonly id: string
  readonly name: string
  readonly aliases: readonly string[]
  readonly description: string
  /** `sluice` for a composite */
  readonly provider: string
  /** null for a composite */
  readonly provider_kind: string | null
  /** Tokens */
  readonly context_length: number | null
  readonly capabilities: Capabilities
  /** In effect now; null when no price is known, and for a composite */
  readonly rates: Rates | null
  /** Requests that the own account may have under way at once; null while that is not limited */
  readonly in_flight_limit: number | null
  /** Ids of the own groups that open it */
  readonly groups: readonly string[]
}

export type UsageExport = {
  readonly id: string
  readonly period: "day" | "month"
  readonly starts_at: string
  /** First moment that no longer counts */
  readonly ends_at: string
  readonly time_zone: string
  /** 1 for the first; restatements have 2, 3, … */
  readonly version: number
  readonly state: "pending" | "done"
  /** Why the last attempt failed; it is tried again */
  readonly error: string | null
  readonly rows: number | null
  /** What the files add up to; null while it is pending */
  readonly totals: {
    readonly requests: number
    /** In 10^-9 of the currency */
    readonly cost: number
  } | null
  readonly created_at: string
  readonly finished_at: string | null
  readonly files: readonly ({
    readonly format: "csv" | "parquet"
    readonly name: string
    readonly bytes: number
    readonly sha256: string
    readonly url: string
  })[]
}

export type UsagePoint = {
  readonly at: string
  /** The model's or provider's name, or the id of the user, key or group */
  readonly group: string | null
  readonly requests: number
  /** Requests that were answered with 400 or above */
  readonly errors: number
  /** As far as providers reported them */
  readonly prompt_tokens: number
  readonly completion_tokens: number
  /** Part of the prompt tokens: read from a cache */
  readonly cached_tokens: number
  /** Part of the prompt tokens: written to a cache */
  readonly cache_write_tokens: number
  /** Part of the completion tokens */
  readonly reasoning_tokens: number
  readonly request_bytes: number
  readonly response_bytes: number
  /** Sum over all requests */
  readonly duration_ms: number
  /** In 10^-9 of the currency, of requests whose price is known */
  readonly cost: number
  /** Streams that had a first token */
  readonly first_tokens: number
  /** Sum over those, of the time until it */
  readonly first_token_ms: number
}

export type UsageSeries = {
  readonly from: string
  readonly to: string
  /** Buckets without requests are left out */
  readonly data: readonly UsagePoint[]
  /** With `top`: the sums of all groups that are not in `data` */
  readonly others: readonly UsagePoint[]
  /** For the next groups by name; null at the last page and with `top` */
  readonly next_cursor: string | null
}

export type UsageTotals = {
  readonly from: string
  readonly to: string
  /** Of `cost` */
  readonly currency: string
  readonly requests: number
  /** Requests that were answered with 400 or above */
  readonly errors: number
  /** As far as providers reported them */
  readonly prompt_tokens: number
  readonly completion_tokens: number
  /** Part of the prompt tokens: read from a cache */
  readonly cached_tokens: number
  /** Part of the prompt tokens: written to a cache */
  readonly cache_write_tokens: number
  /** Part of the completion tokens */
  readonly reasoning_tokens: number
  readonly request_bytes: number
  readonly response_bytes: number
  /** Sum over all requests */
  readonly duration_ms: number
  /** In 10^-9 of the currency, of requests whose price is known */
  readonly cost: number
  /** Streams that had a first token */
  readonly first_tokens: number
  /** Sum over those, of the time until it */
  readonly first_token_ms: number
}

export type User = {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly role: "admin" | "user"
  /** `service` = an account of a program, which cannot sign in */
  readonly kind: "person" | "service"
  /** True refuses sign-in and all API keys of the user */
  readonly disabled: boolean
  /** Without one only API keys work */
  readonly has_password: boolean
  /** Ids; everyone is in the group everyone */
  readonly groups: readonly string[]
  /** Read-only here, because the configuration file has it */
  readonly declared: boolean
  readonly created_at: string
  /** Signed in, or by an API key that still exists; written about once a minute; null = never */
  readonly last_seen_at: string | null
  /** A link to choose a password works until then; null = there is none */
  readonly invited_until: string | null
  /** Another one after each change of what can be set. As `If-Match`, it makes a change of another version fail with 409 */
  readonly etag: string
}

export type UserChange = {
  readonly email?: string | undefined
  readonly name?: string | "" | undefined
  readonly role?: "admin" | "user" | undefined
  /** `service` = an account of a program: it has keys, groups, limits and usage as a user has, and cannot sign in */
  readonly kind?: "person" | "service" | undefined
  readonly disabled?: boolean | undefined
}

export type UserCreation = {
  readonly email: string
  readonly name?: string | "" | undefined
  readonly role?: "admin" | "user" | undefined
  /** `service` = an account of a program: it has keys, groups, limits and usage as a user has, and cannot sign in */
  readonly kind?: "person" | "service" | undefined
  /** Left out: the user cannot sign in, but keys work */
  readonly password?: string | undefined
  /** The user has to choose another at the first sign-in; left out, that is so */
  readonly temporary?: boolean | undefined
  readonly disabled?: boolean | undefined
}

export type UsersChange = {
  readonly ids: readonly string[]
  /** `join` and `leave` are of `group_id` */
  readonly action: "enable" | "disable" | "delete" | "join" | "leave"
  readonly group_id?: string | undefined
}

export type UsersChangeResult = {
  /** Ids */
  readonly done: readonly string[]
  readonly refused: readonly ({
    readonly id: string
    readonly message: string
  })[]
}

export type VectorIndex = {
  /** `documents.vector_index` */
  readonly setting: "auto" | "memory" | "pgvector" | "qdrant"
  /** Where vectors are to be */
  readonly target: "memory" | "pgvector" | "qdrant"
  /** Every visible chunk is searched in one of them */
  readonly places: readonly ({
    readonly place: "memory" | "pgvector" | "qdrant"
    /** Chunks that are searched there */
    readonly chunks: number
    /** Chunks that are there, and searched in memory until the index is built */
    readonly copied: number
  })[]
  /** All are where they are to be, as far as that place can have them */
  readonly done: boolean
  /** Why they stay where they are */
  readonly problem: string | null
}

export type VectorStore = {
  readonly id: string
  readonly object: "vector_store"
  readonly created_at: number
  readonly name: string | null
  readonly description: string | null
  readonly usage_bytes: number
  readonly file_counts: {
    readonly in_progress: number
    readonly completed: number
    readonly failed: number
    readonly cancelled: number
    readonly total: number
  }
  readonly status: "expired" | "in_progress" | "completed"
  readonly expires_after: {
    readonly anchor: "last_active_at"
    readonly days: number
  } | null
  readonly expires_at: number | null
  readonly last_active_at: number
  readonly metadata: { readonly [name: string]: string }
}

export type VectorStoreChange = {
  readonly name?: string | null | undefined
  readonly metadata?: { readonly [name: string]: string } | null | undefined
  readonly expires_after?: {
    readonly anchor: "last_active_at"
    readonly days: number
  } | null | undefined
}

export type VectorStoreFile = {
  readonly id: string
  readonly object: "vector_store.file"
  readonly usage_bytes: number
  readonly created_at: number
  readonly vector_store_id: string
  readonly status: "in_progress" | "completed" | "cancelled" | "failed"
  readonly last_error: {
    readonly code: "server_error" | "unsupported_file" | "invalid_file"
    readonly message: string
  } | null
  readonly chunking_strategy: {
    readonly type: "static"
    readonly static: {
      readonly max_chunk_size_tokens: number
      readonly chunk_overlap_tokens: number
    }
  }
  readonly attributes: { readonly [name: string]: string | number | boolean } | null
}

export type VectorStoreFileBatch = {
  readonly id: string
  readonly object: "vector_store.files_batch"
  readonly created_at: number
  readonly vector_store_id: string
  readonly status: "in_progress" | "completed" | "cancelled" | "failed"
  readonly file_counts: {
    readonly in_progress: number
    readonly completed: number
    readonly failed: number
    readonly cancelled: number
    readonly total: number
  }
}

export type VectorStoreFileBatchRequest = {
  readonly file_ids?: readonly string[] | undefined
  readonly files?: readonly VectorStoreFileRequest[] | undefined
  readonly attributes?: { readonly [name: string]: string | number | boolean } | null | undefined
  readonly chunking_strategy?: {
    readonly type: "auto"
  } | {
    readonly type: "static"
    readonly static: {
      readonly max_chunk_size_tokens: number
      readonly chunk_overlap_tokens: number
    }
  } | undefined
}

export type VectorStoreFileChange = {
  readonly attributes: { readonly [name: string]: string | number | boolean } | null
}

export type VectorStoreFileRequest = {
  readonly file_id: string
  readonly attributes?: { readonly [name: string]: string | number | boolean } | null | undefined
  readonly chunking_strategy?: {
    readonly type: "auto"
  } | {
    readonly type: "static"
    readonly static: {
      readonly max_chunk_size_tokens: number
      readonly chunk_overlap_tokens: number
    }
  } | undefined
}

export type VectorStoreRequest = {
  readonly name?: string | null | undefined
  readonly description?: string | null | undefined
  readonly metadata?: { readonly [name: string]: string } | null | undefined
  readonly expires_after?: {
    readonly anchor: "last_active_at"
    readonly days: number
  } | null | undefined
  readonly file_ids?: readonly string[] | undefined
  readonly chunking_strategy?: {
    readonly type: "auto"
  } | {
    readonly type: "static"
    readonly static: {
      readonly max_chunk_size_tokens: number
      readonly chunk_overlap_tokens: number
    }
  } | undefined
}

export type VectorStoreSearchRequest = {
  readonly query: string | readonly string[]
  readonly filters?: {
    readonly type: string
  } | null | undefined
  readonly max_num_results?: number | undefined
  readonly ranking_options?: {
    /** auto: the rerank model of the settings, if there is one; none; or the name of a rerank model */
    readonly ranker?: string | undefined
    readonly score_threshold?: number | undefined
    /** How much meaning and words count beside each other; 0 leaves one of them out */
    readonly hybrid_search?: {
      readonly embedding_weight: number
      readonly text_weight: number
    } | null | undefined
  } | null | undefined
  /** Lets the model of documents.rewrite_model write what is searched for; `search_query` has it */
  readonly rewrite_query?: boolean | undefined
}

export type VectorStoreSearchResults = {
  readonly object: "vector_store.search_results.page"
  readonly search_query: readonly string[]
  readonly data: readonly ({
    readonly file_id: string
    readonly filename: string
    readonly score: number
    readonly attributes: { readonly [name: string]: string | number | boolean } | null
    readonly content: readonly ({
      readonly type: "text"
      readonly text: string
    })[]
  })[]
  readonly has_more: boolean
  readonly next_page: string | null
}

export type Webhook = {
  readonly id: string
  readonly url: string
  readonly description: string
  readonly types: readonly ("document.completed" | "document.failed" | "source.completed" | "source.failed" | "batch.completed" | "batch.failed" | "batch.expired" | "batch.cancelled" | "response.completed" | "response.failed" | "response.cancelled" | "response.incomplete" | "budget.threshold" | "provider.down" | "provider.up" | "key.expiring")[]
  readonly user_id: string | null
  readonly enabled: boolean
  /** `gone`: it answered 410; `failing`: every attempt failed for webhooks.retry_hours */
  readonly disabled_reason: "administrator" | "gone" | "failing" | null
  readonly disabled_at: string | null
  /** Since when no attempt has succeeded; null while they do */
  readonly failing_since: string | null
  /** Events that were not stored for it, because too many waited */
  readonly dropped: number
  /** Until when the secret before the last rotation signs, too */
  readonly former_secret_until: string | null
  readonly created_at: string
  /** Another one after each change of what can be set. As `If-Match`, it makes a change of another version fail with 409 */
  readonly etag: string
}

export type WebhookAttempt = {
  readonly delivered: boolean
  /** Of the answer; null when none came */
  readonly status: number | null
  readonly error: string | null
  readonly duration_ms: number
}

export type WebhookChange = {
  /** Where events are sent by POST. https: is strongly advised */
  readonly url?: string | undefined
  readonly description?: string | undefined
  readonly types?: readonly ("document.completed" | "document.failed" | "source.completed" | "source.failed" | "batch.completed" | "batch.failed" | "batch.expired" | "batch.cancelled" | "response.completed" | "response.failed" | "response.cancelled" | "response.incomplete" | "budget.threshold" | "provider.down" | "provider.up" | "key.expiring")[] | undefined
  /** true switches an endpoint on again; its failures are forgotten */
  readonly enabled?: boolean | undefined
}

export type WebhookDelivery = {
  readonly id: string
  /** The `webhook-id` of every attempt */
  readonly event_id: string
  readonly type: string
  /** The body that is sent */
  readonly payload: string
  readonly state: "waiting" | "delivered" | "failed"
  /** Since its creation or its last replay */
  readonly attempts: number
  readonly created_at: string
  /** Not before then; null when it has ended */
  readonly next_attempt_at: string | null
  readonly ended_at: string | null
  /** Of the last answer; null when none came */
  readonly status: number | null
  /** What went wrong with the last attempt */
  readonly error: string | null
  readonly duration_ms: number | null
}

export type WebhookReplay = {
  /** Failed deliveries of events from this moment on */
  readonly since: string
}

export type WebhookRotation = {
  /** How long the secret before signs, too */
  readonly overlap_hours?: number | undefined
}

export type WebhookWithSecret = {
  readonly id: string
  readonly url: string
  readonly description: string
  readonly types: readonly ("document.completed" | "document.failed" | "source.completed" | "source.failed" | "batch.completed" | "batch.failed" | "batch.expired" | "batch.cancelled" | "response.completed" | "response.failed" | "response.cancelled" | "response.incomplete" | "budget.threshold" | "provider.down" | "provider.up" | "key.expiring")[]
  readonly user_id: string | null
  readonly enabled: boolean
  /** `gone`: it answered 410; `failing`: every attempt failed for webhooks.retry_hours */
  readonly disabled_reason: "administrator" | "gone" | "failing" | null
  readonly disabled_at: string | null
  /** Since when no attempt has succeeded; null while they do */
  readonly failing_since: string | null
  /** Events that were not stored for it, because too many waited */
  readonly dropped: number
  /** Until when the secret before the last rotation signs, too */
  readonly former_secret_until: string | null
  readonly created_at: string
  /** Another one after each change of what can be set. As `If-Match`, it makes a change of another version fail with 409 */
  readonly etag: string
  /** `whsec_…`; shown this once */
  readonly secret: string
}

export type WhoAmI = {
  readonly user: User
  readonly groups: readonly ({
    readonly id: string
    readonly name: string
  })[]
  /** The API key of this request; null for a session */
  readonly key: ApiKey | null
}

export interface Operations {
  /** Answer a conversation, whole or streamed */
  "POST /ai/v1/chat/completions": {
    params: undefined
    query: undefined
    of: undefined
    body: ChatCompletionRequest
    answer: ChatCompletion
  }
  /** Continue a text, whole or streamed */
  "POST /ai/v1/completions": {
    params: undefined
    query: undefined
    of: undefined
    body: CompletionRequest
    answer: Completion
  }
  /** Turn texts into vectors */
  "POST /ai/v1/embeddings": {
    params: undefined
    query: undefined
    of: undefined
    body: EmbeddingsRequest
    answer: Embeddings
  }
  /** Order documents by how well they fit a query */
  "POST /ai/v1/rerank": {
    params: undefined
    query: undefined
    of: undefined
    body: RerankRequest
    answer: RankedDocuments
  }
  /** Order documents in the wire format of Cohere's clients, version 2 */
  "POST /ai/v2/rerank": {
    params: undefined
    query: undefined
    of: undefined
    body: RerankRequest
    answer: {
      readonly id: string
      readonly results: readonly ({
        readonly index: number
        readonly relevance_score: number
      })[]
      readonly meta: {}
    }
  }
  /** Tell whether texts or pictures are harmful */
  "POST /ai/v1/moderations": {
    params: undefined
    query: undefined
    of: undefined
    body: ModerationRequest
    answer: Moderation
  }
  /** Make pictures from a text, whole or streamed */
  "POST /ai/v1/images/generations": {
    params: undefined
    query: undefined
    of: undefined
    body: ImageGenerationRequest
    answer: Images
  }
  /** Change pictures as a text says, whole or streamed */
  "POST /ai/v1/images/edits": {
    params: undefined
    query: undefined
    of: undefined
    body: FormData
    answer: Images
  }
  /** Make variations of a picture */
  "POST /ai/v1/images/variations": {
    params: undefined
    query: undefined
    of: undefined
    body: FormData
    answer: Images
  }
  /** Write down what is said in a recording, whole or streamed */
  "POST /ai/v1/audio/transcriptions": {
    params: undefined
    query: undefined
    of: undefined
    body: FormData
    answer: Transcription
  }
  /** Write down in English what is said in a recording */
  "POST /ai/v1/audio/translations": {
    params: undefined
    query: undefined
    of: undefined
    body: FormData
    answer: Transcription
  }
  /** Read a text aloud, as it is made */
  "POST /ai/v1/audio/speech": {
    params: undefined
    query: undefined
    of: undefined
    body: SpeechRequest
    answer: undefined
  }
  /** Answer in the Responses API, whole or streamed */
  "POST /ai/v1/responses": {
    params: undefined
    query: undefined
    of: undefined
    body: ResponsesRequest
    answer: Response
  }
  /** Make a conversation of the Responses API shorter */
  "POST /ai/v1/responses/compact": {
    params: undefined
    query: undefined
    of: undefined
    body: ResponsesRequest
    answer: {
      readonly id: string
      readonly output: readonly ({
        readonly type: string
      })[]
    }
  }
  /** Count the input tokens of a request of the Responses API */
  "POST /ai/v1/responses/input_tokens": {
    params: undefined
    query: undefined
    of: undefined
    body: ResponsesRequest
    answer: {
      readonly input_tokens: number
    }
  }
  /** Answer in the wire format of Anthropic's clients, whole or streamed */
  "POST /ai/v1/messages": {
    params: undefined
    query: undefined
    of: undefined
    body: MessagesRequest
    answer: Message
  }
  /** A stored response, or the rest of its stream */
  "GET /ai/v1/responses/{id}": {
    params: { id: string }
    query: { stream?: "true" | "false"; starting_after?: string; include?: string }
    of: undefined
    body: undefined
    answer: Response
  }
  /** Delete a stored response */
  "DELETE /ai/v1/responses/{id}": {
    params: { id: string }
    query: undefined
    of: undefined
    body: undefined
    answer: {
      readonly id: string
      readonly object?: string | undefined
      readonly deleted: boolean
    }
  }
  /** Stop a response that is made in the background */
  "POST /ai/v1/responses/{id}/cancel": {
    params: { id: string }
    query: undefined
    of: undefined
    body: undefined
    answer: Response
  }
  /** The input of a stored response */
  "GET /ai/v1/responses/{id}/input_items": {
    params: { id: string }
    query: { after?: string; limit?: string; order?: "asc" | "desc"; include?: string }
    of: undefined
    body: undefined
    answer: {
      /** list */
      readonly object: string
      readonly data: readonly ({})[]
    }
  }
  /** Begin a conversation that the gateway keeps, for responses of any model */
  "POST /ai/v1/conversations": {
    params: undefined
    query: undefined
    of: undefined
    body: ConversationRequest
    answer: Conversation
  }
  /** A conversation */
  "GET /ai/v1/conversations/{id}": {
    params: { id: string }
    query: undefined
    of: undefined
    body: undefined
    answer: Conversation
  }
  /** Change the metadata of a conversation */
  "POST /ai/v1/conversations/{id}": {
    params: { id: string }
    query: undefined
    of: undefined
    body: ConversationUpdate
    answer: Conversation
  }
  /** Delete a conversation with its items */
  "DELETE /ai/v1/conversations/{id}": {
    params: { id: string }
    query: undefined
    of: undefined
    body: undefined
    answer: {
      readonly id: string
      readonly object?: string | undefined
      readonly deleted: boolean
    }
  }
  /** The items of a conversation */
  "GET /ai/v1/conversations/{id}/items": {
    params: { id: string }
    query: { after?: string; limit?: string; order?: "asc" | "desc" }
    of: undefined
    body: undefined
    answer: {
      readonly object: "list"
      readonly data: readonly ({
        readonly id: string
        readonly type: string
      })[]
      readonly first_id: string | null
      readonly last_id: string | null
      readonly has_more: boolean
    }
  }
  /** Add items to a conversation */
  "POST /ai/v1/conversations/{id}/items": {
    params: { id: string }
    query: undefined
    of: undefined
    body: ConversationItemsRequest
    answer: {
      readonly object: "list"
      readonly data: readonly ({
        readonly id: string
        readonly type: string
      })[]
      readonly first_id: string | null
      readonly last_id: string | null
      readonly has_more: boolean
    }
  }
  /** An item of a conversation */
  "GET /ai/v1/conversations/{id}/items/{item}": {
    params: { id: string; item: string }
    query: undefined
    of: undefined
    body: undefined
    answer: {
      readonly id: string
      readonly type: string
    }
  }
  /** Delete an item of a conversation */
  "DELETE /ai/v1/conversations/{id}/items/{item}": {
    params: { id: string; item: string }
    query: undefined
    of: undefined
    body: undefined
    answer: Conversation
  }
  /** Estimate the input tokens of a Messages request */
  "POST /ai/v1/messages/count_tokens": {
    params: undefined
    query: undefined
    of: undefined
    body: MessagesRequest
    answer: {
      readonly input_tokens: number
    }
  }
  /** A WebSocket to a model's provider, for sound and text in both directions */
  "GET /ai/v1/realtime": {
    params: undefined
    query: { model?: string }
    of: undefined
    body: undefined
    answer: undefined
  }
  /** A short-lived secret with which a page opens realtime sessions with one model */
  "POST /ai/v1/realtime/client_secrets": {
    params: undefined
    query: undefined
    of: undefined
    body: ClientSecretRequest
    answer: ClientSecret
  }
  /** The same for older clients: the secret is in the session */
  "POST /ai/v1/realtime/sessions": {
    params: undefined
    query: undefined
    of: undefined
    body: RealtimeSessionRequest
    answer: RealtimeSession
  }
  /** List the models that the caller can use */
  "GET /ai/v1/models": {
    params: undefined
    query: { group?: string; available_for_realtime?: "true" | "false"; include_reasoning_capabilities?: "true" | "false" }
    of: undefined
    body: undefined
    answer: {
      readonly object: "list"
      readonly data: readonly Model[]
    } | {
      readonly data: readonly AnthropicModel[]
      readonly has_more: boolean
      readonly first_id: string | null
      readonly last_id: string | null
    }
  }
  /** One model by its name or an alias, slashes included */
  "GET /ai/v1/models/{model}": {
    params: { model: string }
    query: { include_reasoning_capabilities?: "true" | "false" }
    of: undefined
    body: undefined
    answer: Model | AnthropicModel
  }
  /** Turn texts into vectors */
  "POST /embed": {
    params: undefined
    query: undefined
    of: undefined
    body: EmbedRequest
    answer: EmbedAnswer
  }
  /** Turn texts into vectors; the model may be a consumer group, as the Takeoff client's embed has it */
  "POST /v1/embeddings": {
    params: undefined
    query: undefined
    of: undefined
    body: EmbeddingsRequest
    answer: Embeddings
  }
  /** Score how well documents fit their queries */
  "POST /classify": {
    params: undefined
    query: undefined
    of: undefined
    body: ClassifyRequest
    answer: ClassifyAnswer
  }
  /** A text in tokens of o200k_base */
  "POST /tokenize/{group}": {
    params: { group: string }
    query: undefined
    of: undefined
    body: TokenizeRequest
    answer: TokenizeAnswer
  }
  /** The text of tokens of o200k_base, or of their ids */
  "POST /detokenize/{group}": {
    params: { group: string }
    query: undefined
    of: undefined
    body: DetokenizeRequest
    answer: DetokenizeAnswer
  }
  /** The consumer groups and models that the caller can name */
  "GET /reader_groups": {
    params: undefined
    query: undefined
    of: undefined
    body: undefined
    answer: ReaderGroups
  }
  /** The models that the caller can name, as the Takeoff client reads them */
  "GET /status": {
    params: undefined
    query: undefined
    of: undefined
    body: undefined
    answer: TakeoffStatus
  }
  /** Answer one or several prompts at once */
  "POST /generate": {
    params: undefined
    query: undefined
    of: undefined
    body: GenerationPayload
    answer: GeneratedText
  }
  /** Answer one or several prompts token by token */
  "POST /generate_stream": {
    params: undefined
    query: undefined
    of: undefined
    body: GenerationPayload
    answer: undefined
  }
  /** Answer one or several prompts about an image at once */
  "POST /image_generate": {
    params: undefined
    query: undefined
    of: undefined
    body: FormData
    answer: GeneratedText
  }
  /** Answer one or several prompts about an image token by token */
  "POST /image_generate_stream": {
    params: undefined
    query: undefined
    of: undefined
    body: FormData
    answer: undefined
  }
  /** Import files to read, chunk, embed and store in the background */
  "POST /api/v1/documents": {
    params: undefined
    query: undefined
    of: undefined
    body: DocumentImport
    answer: DocumentImportAnswer
  }
  /** List documents, the newest first */
  "GET /api/v1/documents": {
    params: undefined
    query: { cursor?: string; limit?: number; category?: string; state?: string; owner?: string; name?: string; filter?: string; doc_id?: string }
    of: undefined
    body: undefined
    answer: {
      readonly data: readonly Document[]
      /** Send it as `cursor` for the next page; null on the last one */
      readonly next_cursor: string | null
    }
  }
  /** Readers, chunkers, embedders and categories that an import can name */
  "GET /api/v1/documents/options": {
    params: undefined
    query: undefined
    of: undefined
    body: undefined
    answer: DocumentOptions
  }
  /** One document and how far it is */
  "GET /api/v1/document/{doc_id}": {
    params: { doc_id: string }
    query: undefined
    of: undefined
    body: undefined
    answer: Document
  }
  /** Give a document another name or metadata, or say that its file was moved */
  "PATCH /api/v1/document/{doc_id}": {
    params: { doc_id: string }
    query: undefined
    of: undefined
    body: DocumentChange
    answer: Document
  }
  /** Delete a document with its chunks, vectors and bytes */
  "DELETE /api/v1/document/{doc_id}": {
    params: { doc_id: string }
    query: undefined
    of: undefined
    body: undefined
    answer: undefined
  }
  /** The chunks of a document, in the order of its text */
  "GET /api/v1/document/{doc_id}/chunks": {
    params: { doc_id: string }
    query: { from?: number; limit?: number }
    of: undefined
    body: undefined
    answer: {
      readonly data: readonly Chunk[]
      readonly total: number
      /** Send it as `from` for the chunks after these; null at the end */
      readonly next: number | null
    }
  }
  /** The keys in the metadata of documents, and how many documents have each value */
  "GET /api/v1/documents/metadata": {
    params: undefined
    query: { keys?: string; filter?: string; category?: string }
    of: undefined
    body: undefined
    answer: {
      /** Those of the newest documents that you can find, at most 500 */
      readonly keys: readonly string[]
      /** By key, the most frequent values first, at most 100 each */
      readonly facets: { readonly [name: string]: readonly ({
        readonly value: string | number | boolean | null
        /** Documents that you see and the filters let through */
        readonly documents: number
      })[] }
      /** What was not counted */
      readonly warnings: readonly string[]
    }
  }
  /** What you have imported of a source: files, versions, hashes and states */
  "GET /api/v1/documents/manifest": {
    params: undefined
    query: { source: string; after?: string; limit?: number }
    of: undefined
    body: undefined
    answer: SourceManifest
  }
  /** The text of a document, or a part of it */
  "GET /api/v1/document/{doc_id}/text": {
    params: { doc_id: string }
    query: { start?: number; end?: number }
    of: undefined
    body: undefined
    answer: {
      readonly doc_id: string
      /** In Unicode code points, as the offsets of chunks and hits */
      readonly start: number
      readonly end: number
      /** Of the whole text */
      readonly length: number
      readonly text: string
      /** Send it as `start` for the rest of what was asked for; null when this is all */
      readonly next: number | null
    }
  }
  /** The text of a page, slide, sheet or attachment */
  "GET /api/v1/document/{doc_id}/pages/{page}": {
    params: { doc_id: string; page: string }
    query: undefined
    of: undefined
    body: undefined
    answer: {
      readonly doc_id: string
      /** In Unicode code points, as the offsets of chunks and hits */
      readonly start: number
      readonly end: number
      /** Of the whole text */
      readonly length: number
      readonly text: string
      /** Send it as `start` for the rest of what was asked for; null when this is all */
      readonly next: number | null
      readonly page: number
      /** Name of a sheet or an attachment */
      readonly label: string | null
      /** Pages of the document that have text */
      readonly pages: number
    }
  }
  /** A page of a PDF as a picture, with a passage marked */
  "GET /api/v1/document/{doc_id}/pages/{page}/image": {
    params: { doc_id: string; page: string }
    query: { start?: number; end?: number }
    of: undefined
    body: undefined
    answer: undefined
  }
  /** The file as it was imported, or a range of its bytes */
  "GET /api/v1/document/{doc_id}/file": {
    params: { doc_id: string }
    query: undefined
    of: undefined
    body: undefined
    answer: undefined
  }
  /** Stop processing a document; one that has ended stays as it is */
  "POST /api/v1/document/{doc_id}/cancel": {
    params: { doc_id: string }
    query: undefined
    of: undefined
    body: undefined
    answer: Document
  }
  /** Process a failed or cancelled document again */
  "POST /api/v1/document/{doc_id}/retry": {
    params: { doc_id: string }
    query: undefined
    of: undefined
    body: undefined
    answer: Document
  }
  /** Find passages of documents by meaning, by words, or by both */
  "POST /api/v1/search": {
    params: undefined
    query: undefined
    of: undefined
    body: SearchRequest
    answer: SearchAnswer
  }
  /** Search, list and read documents by the Model Context Protocol (streamable HTTP) */
  "POST /mcp": {
    params: undefined
    query: undefined
    of: undefined
    body: {
      readonly jsonrpc: "2.0"
    } | readonly ({
      readonly jsonrpc: "2.0"
    })[]
    answer: {
      readonly jsonrpc: "2.0"
    } | readonly ({
      readonly jsonrpc: "2.0"
    })[]
  }
  /** Begin an upload in parts */
  "POST /ai/v1/uploads": {
    params: undefined
    query: undefined
    of: undefined
    body: UploadRequest
    answer: Upload
  }
  /** Add a part to an upload */
  "POST /ai/v1/uploads/{id}/parts": {
    params: { id: string }
    query: undefined
    of: undefined
    body: FormData
    answer: UploadPart
  }
  /** Make a file of the parts of an upload */
  "POST /ai/v1/uploads/{id}/complete": {
    params: { id: string }
    query: undefined
    of: undefined
    body: UploadCompletion
    answer: Upload
  }
  /** Drop an upload */
  "POST /ai/v1/uploads/{id}/cancel": {
    params: { id: string }
    query: undefined
    of: undefined
    body: undefined
    answer: Upload
  }
  /** Upload a file */
  "POST /ai/v1/files": {
    params: undefined
    query: undefined
    of: undefined
    body: FormData
    answer: File
  }
  /** The files of your account */
  "GET /ai/v1/files": {
    params: undefined
    query: { after?: string; limit?: string; order?: "asc" | "desc"; purpose?: string }
    of: undefined
    body: undefined
    answer: {
      readonly object: "list"
      readonly data: readonly File[]
      readonly first_id: string | null
      readonly last_id: string | null
      readonly has_more: boolean
    }
  }
  /** A file */
  "GET /ai/v1/files/{id}": {
    params: { id: string }
    query: undefined
    of: undefined
    body: undefined
    answer: File
  }
  /** Delete a file */
  "DELETE /ai/v1/files/{id}": {
    params: { id: string }
    query: undefined
    of: undefined
    body: undefined
    answer: {
      readonly id: string
      readonly object: "file"
      readonly deleted: true
    }
  }
  /** The content of a file, or a range of it; of a running batch what it has written so far */
  "GET /ai/v1/files/{id}/content": {
    params: { id: string }
    query: undefined
    of: undefined
    body: undefined
    answer: undefined
  }
  /** Create a vector store */
  "POST /ai/v1/vector_stores": {
    params: undefined
    query: undefined
    of: undefined
    body: VectorStoreRequest
    answer: VectorStore
  }
  /** The vector stores of your account */
  "GET /ai/v1/vector_stores": {
    params: undefined
    query: { after?: string; before?: string; limit?: string; order?: "asc" | "desc" }
    of: undefined
    body: undefined
    answer: {
      readonly object: "list"
      readonly data: readonly VectorStore[]
      readonly first_id: string | null
      readonly last_id: string | null
      readonly has_more: boolean
    }
  }
  /** A vector store */
  "GET /ai/v1/vector_stores/{id}": {
    params: { id: string }
    query: undefined
    of: undefined
    body: undefined
    answer: VectorStore
  }
  /** Change a vector store */
  "POST /ai/v1/vector_stores/{id}": {
    params: { id: string }
    query: undefined
    of: undefined
    body: VectorStoreChange
    answer: VectorStore
  }
  /** Delete a vector store; its files stay */
  "DELETE /ai/v1/vector_stores/{id}": {
    params: { id: string }
    query: undefined
    of: undefined
    body: undefined
    answer: {
      readonly id: string
      readonly object: "vector_store.deleted"
      readonly deleted: true
    }
  }
  /** Find passages in a vector store */
  "POST /ai/v1/vector_stores/{id}/search": {
    params: { id: string }
    query: undefined
    of: undefined
    body: VectorStoreSearchRequest
    answer: VectorStoreSearchResults
  }
  /** Add a file to a vector store */
  "POST /ai/v1/vector_stores/{id}/files": {
    params: { id: string }
    query: undefined
    of: undefined
    body: VectorStoreFileRequest
    answer: VectorStoreFile
  }
  /** The files in a vector store */
  "GET /ai/v1/vector_stores/{id}/files": {
    params: { id: string }
    query: { after?: string; before?: string; limit?: string; order?: "asc" | "desc"; filter?: "in_progress" | "completed" | "cancelled" | "failed" }
    of: undefined
    body: undefined
    answer: {
      readonly object: "list"
      readonly data: readonly VectorStoreFile[]
      readonly first_id: string | null
      readonly last_id: string | null
      readonly has_more: boolean
    }
  }
  /** A file in a vector store */
  "GET /ai/v1/vector_stores/{id}/files/{file}": {
    params: { id: string; file: string }
    query: undefined
    of: undefined
    body: undefined
    answer: VectorStoreFile
  }
  /** Set the attributes of a file in a vector store */
  "POST /ai/v1/vector_stores/{id}/files/{file}": {
    params: { id: string; file: string }
    query: undefined
    of: undefined
    body: VectorStoreFileChange
    answer: VectorStoreFile
  }
  /** Take a file out of a vector store; the file itself stays */
  "DELETE /ai/v1/vector_stores/{id}/files/{file}": {
    params: { id: string; file: string }
    query: undefined
    of: undefined
    body: undefined
    answer: {
      readonly id: string
      readonly object: "vector_store.file.deleted"
      readonly deleted: true
    }
  }
  /** The text that was read of a file in a vector store */
  "GET /ai/v1/vector_stores/{id}/files/{file}/content": {
    params: { id: string; file: string }
    query: undefined
    of: undefined
    body: undefined
    answer: {
      readonly object: "vector_store.file_content.page"
      readonly data: readonly ({
        readonly type: "text"
        readonly text: string
      })[]
      readonly has_more: boolean
      readonly next_page: string | null
    }
  }
  /** Add several files to a vector store */
  "POST /ai/v1/vector_stores/{id}/file_batches": {
    params: { id: string }
    query: undefined
    of: undefined
    body: VectorStoreFileBatchRequest
    answer: VectorStoreFileBatch
  }
  /** A batch of files */
  "GET /ai/v1/vector_stores/{id}/file_batches/{batch}": {
    params: { id: string; batch: string }
    query: undefined
    of: undefined
    body: undefined
    answer: VectorStoreFileBatch
  }
  /** Stop a batch of files */
  "POST /ai/v1/vector_stores/{id}/file_batches/{batch}/cancel": {
    params: { id: string; batch: string }
    query: undefined
    of: undefined
    body: undefined
    answer: VectorStoreFileBatch
  }
  /** The files of a batch */
  "GET /ai/v1/vector_stores/{id}/file_batches/{batch}/files": {
    params: { id: string; batch: string }
    query: { after?: string; before?: string; limit?: string; order?: "asc" | "desc"; filter?: "in_progress" | "completed" | "cancelled" | "failed" }
    of: undefined
    body: undefined
    answer: {
      readonly object: "list"
      readonly data: readonly VectorStoreFile[]
      readonly first_id: string | null
      readonly last_id: string | null
      readonly has_more: boolean
    }
  }
  /** Run the requests of a file, when there is room for them */
  "POST /ai/v1/batches": {
    params: undefined
    query: undefined
    of: undefined
    body: BatchRequest
    answer: Batch
  }
  /** The batches of your account, the newest first */
  "GET /ai/v1/batches": {
    params: undefined
    query: { after?: string; limit?: string }
    of: undefined
    body: undefined
    answer: {
      readonly object: "list"
      readonly data: readonly Batch[]
      readonly first_id: string | null
      readonly last_id: string | null
      readonly has_more: boolean
    }
  }
  /** A batch */
  "GET /ai/v1/batches/{id}": {
    params: { id: string }
    query: undefined
    of: undefined
    body: undefined
    answer: Batch
  }
  /** Stop a batch; what is done stays */
  "POST /ai/v1/batches/{id}/cancel": {
    params: { id: string }
    query: undefined
    of: undefined
    body: undefined
    answer: Batch
  }
  /** Run many requests to /messages, when there is room for them */
  "POST /ai/v1/messages/batches": {
    params: undefined
    query: undefined
    of: undefined
    body: MessageBatchRequest
    answer: MessageBatch
  }
  /** The Message Batches of your account, the newest first */
  "GET /ai/v1/messages/batches": {
    params: undefined
    query: { limit?: string; after_id?: string; before_id?: string }
    of: undefined
    body: undefined
    answer: {
      readonly data: readonly MessageBatch[]
      readonly has_more: boolean
      readonly first_id: string | null
      readonly last_id: string | null
    }
  }
  /** A Message Batch */
  "GET /ai/v1/messages/batches/{id}": {
    params: { id: string }
    query: undefined
    of: undefined
    body: undefined
    answer: MessageBatch
  }
  /** Delete a Message Batch that has ended, with its results */
  "DELETE /ai/v1/messages/batches/{id}": {
    params: { id: string }
    query: undefined
    of: undefined
    body: undefined
    answer: {
      readonly id: string
      readonly type: "message_batch_deleted"
    }
  }
  /** Stop a Message Batch; what is done stays */
  "POST /ai/v1/messages/batches/{id}/cancel": {
    params: { id: string }
    query: undefined
    of: undefined
    body: undefined
    answer: MessageBatch
  }
  /** The results of a Message Batch, one JSON object in each line */
  "GET /ai/v1/messages/batches/{id}/results": {
    params: { id: string }
    query: undefined
    of: undefined
    body: undefined
    answer: undefined
  }
  /** The async requests of your account, the newest first */
  "GET /ai/v1/async": {
    params: undefined
    query: { after?: string; limit?: string }
    of: undefined
    body: undefined
    answer: {
      readonly object: "list"
      readonly data: readonly AsyncRequest[]
      readonly first_id: string | null
      readonly last_id: string | null
      readonly has_more: boolean
    }
  }
  /** An async request: a call with `prefer: respond-async` */
  "GET /ai/v1/async/{id}": {
    params: { id: string }
    query: undefined
    of: undefined
    body: undefined
    answer: AsyncRequest
  }
  /** Stop an async request that has no answer yet */
  "POST /ai/v1/async/{id}/cancel": {
    params: { id: string }
    query: undefined
    of: undefined
    body: undefined
    answer: AsyncRequest
  }
  /** The answer, with the status that a live request would have got */
  "GET /ai/v1/async/{id}/response": {
    params: { id: string }
    query: undefined
    of: undefined
    body: undefined
    answer: {}
  }
  /** The process runs */
  "GET /healthz": {
    params: undefined
    query: undefined
    of: undefined
    body: undefined
    answer: {
      readonly status: "ok"
    }
  }
  /** The server takes requests: the database answers, or AI requests go on without it, and no stop is under way */
  "GET /readyz": {
    params: undefined
    query: undefined
    of: undefined
    body: undefined
    answer: {
      /** outage: the database does not answer, and AI requests go on */
      readonly status: "ready" | "outage"
      /** How long they go on; only with outage */
      readonly grace_seconds_left?: number | undefined
    }
  }
  /** Prometheus metrics */
  "GET /metrics": {
    params: undefined
    query: undefined
    of: undefined
    body: undefined
    answer: undefined
  }
  /** Sign in with e-mail address and password */
  "POST /admin/api/v1/session": {
    params: undefined
    query: undefined
    of: undefined
    body: SignIn
    answer: WhoAmI
  }
  /** Who am I: user, groups, and the API key if one was used */
  "GET /admin/api/v1/session": {
    params: undefined
    query: undefined
    of: undefined
    body: undefined
    answer: WhoAmI
  }
  /** Sign out */
  "DELETE /admin/api/v1/session": {
    params: undefined
    query: undefined
    of: undefined
    body: undefined
    answer: undefined
  }
  /** Whom an invitation is for */
  "POST /admin/api/v1/session/invitation/look": {
    params: undefined
    query: undefined
    of: undefined
    body: InvitationToken
    answer: InvitedUser
  }
  /** Choose a password by an invitation, and sign in */
  "POST /admin/api/v1/session/invitation": {
    params: undefined
    query: undefined
    of: undefined
    body: InvitationAcceptance
    answer: WhoAmI
  }
  /** The ways to sign in */
  "GET /admin/api/v1/session/options": {
    params: undefined
    query: undefined
    of: undefined
    body: undefined
    answer: SignInOptions
  }
  /** Sign in by OpenID Connect: leads the browser to the issuer */
  "GET /admin/api/v1/session/oidc": {
    params: undefined
    query: { return?: string; test?: "true" }
    of: undefined
    body: undefined
    answer: undefined
  }
  /** Where the issuer leads the browser back: sets the cookie sluice_session */
  "GET /admin/api/v1/session/oidc/callback": {
    params: undefined
    query: undefined
    of: undefined
    body: undefined
    answer: undefined
  }
  /** Sign in by OpenID Connect at an issuer of `auth.oidc.more`: leads the browser to the issuer */
  "GET /admin/api/v1/session/oidc/{issuer}": {
    params: { issuer: string }
    query: { return?: string; test?: "true" }
    of: undefined
    body: undefined
    answer: undefined
  }
  /** Where the issuer leads the browser back: sets the cookie sluice_session */
  "GET /admin/api/v1/session/oidc/{issuer}/callback": {
    params: { issuer: string }
    query: undefined
    of: undefined
    body: undefined
    answer: undefined
  }
  /** Test an issuer of OpenID Connect; stores nothing */
  "POST /admin/api/v1/oidc/test": {
    params: undefined
    query: undefined
    of: undefined
    body: IssuerTest
    answer: IssuerTestResult
  }
  /** What a test sign-in at an issuer of OpenID Connect has shown */
  "POST /admin/api/v1/oidc/test-sign-in": {
    params: undefined
    query: undefined
    of: undefined
    body: {
      readonly sealed: string
    }
    answer: TestSignIn
  }
  /** The own user, groups, and the API key if one was used */
  "GET /admin/api/v1/me": {
    params: undefined
    query: undefined
    of: undefined
    body: undefined
    answer: WhoAmI
  }
  /** The models that the caller can use, by name */
  "GET /admin/api/v1/me/models": {
    params: undefined
    query: undefined
    of: undefined
    body: undefined
    answer: {
      /** Of the prices */
      readonly currency: string
      readonly data: readonly UsableModel[]
    }
  }
  /** Speed and outages of the models that the caller can use, in the last day */
  "GET /admin/api/v1/me/models/performance": {
    params: undefined
    query: { model?: string }
    of: undefined
    body: undefined
    answer: ModelPerformance
  }
  /** Change the own password; all sessions end, this one too */
  "POST /admin/api/v1/me/password": {
    params: undefined
    query: undefined
    of: undefined
    body: PasswordChange
    answer: undefined
  }
  /** The own sessions in browsers */
  "GET /admin/api/v1/me/sessions": {
    params: undefined
    query: undefined
    of: undefined
    body: undefined
    answer: {
      readonly data: readonly Session[]
    }
  }
  /** Sign out everywhere: all own sessions end, this one too */
  "DELETE /admin/api/v1/me/sessions": {
    params: undefined
    query: undefined
    of: undefined
    body: undefined
    answer: undefined
  }
  /** End one of the own sessions */
  "DELETE /admin/api/v1/me/sessions/{sessionId}": {
    params: { sessionId: string }
    query: undefined
    of: undefined
    body: undefined
    answer: undefined
  }
  /** List the own API keys */
  "GET /admin/api/v1/me/keys": {
    params: undefined
    query: { cursor?: string; limit?: number; q?: string; sort?: "created" | "name" | "last_used" | "expires"; order?: "asc" | "desc" }
    of: undefined
    body: undefined
    answer: {
      readonly data: readonly ApiKey[]
      /** Send it as `cursor` for the next page; null on the last one */
      readonly next_cursor: string | null
    }
  }
  /** Create an API key */
  "POST /admin/api/v1/me/keys": {
    params: undefined
    query: undefined
    of: undefined
    body: ApiKeyCreation
    answer: CreatedApiKey
  }
  /** One own API key */
  "GET /admin/api/v1/me/keys/{id}": {
    params: { id: string }
    query: undefined
    of: undefined
    body: undefined
    answer: ApiKey
  }
  /** Change an own API key */
  "PATCH /admin/api/v1/me/keys/{id}": {
    params: { id: string }
    query: undefined
    of: { readonly etag: string } | null
    body: ApiKeyChange
    answer: ApiKey
  }
  /** Delete an own API key; the next request with it is refused */
  "DELETE /admin/api/v1/me/keys/{id}": {
    params: { id: string }
    query: undefined
    of: { readonly etag: string } | null
    body: undefined
    answer: undefined
  }
  /** Give an own API key another secret */
  "POST /admin/api/v1/me/keys/{id}/rotate": {
    params: { id: string }
    query: undefined
    of: { readonly etag: string } | null
    body: ApiKeyRotation
    answer: CreatedApiKey
  }
  /** Delete several own API keys at once */
  "POST /admin/api/v1/me/keys/delete": {
    params: undefined
    query: undefined
    of: undefined
    body: ApiKeyDeletion
    answer: {
      /** Ids; those that did not exist are not among them */
      readonly deleted: readonly string[]
    }
  }
  /** What the own account used */
  "GET /admin/api/v1/me/usage": {
    params: undefined
    query: { from?: string; to?: string; key_id?: string; model?: string; provider?: string }
    of: undefined
    body: undefined
    answer: UsageTotals
  }
  /** The same over time */
  "GET /admin/api/v1/me/usage/series": {
    params: undefined
    query: { from?: string; to?: string; key_id?: string; model?: string; provider?: string; top?: number; top_by?: "requests" | "cost"; cursor?: string; limit?: number; bucket?: "minute" | "hour" | "day"; group_by?: "model" | "key" | "provider" | "none" }
    of: undefined
    body: undefined
    answer: UsageSeries
  }
  /** What each of some own keys, or of some models by the own account, was used, day by day */
  "GET /admin/api/v1/me/usage/activity": {
    params: undefined
    query: { of?: "key" | "model"; ids?: string; days?: number }
    of: undefined
    body: undefined
    answer: Activity
  }
  /** The own requests, the newest first */
  "GET /admin/api/v1/me/requests": {
    params: undefined
    query: { cursor?: string; limit?: number; from?: string; to?: string; key_id?: string; model?: string; provider?: string; status?: "success" | "error" | "client_error" | "server_error" }
    of: undefined
    body: undefined
    answer: {
      readonly data: readonly RequestRecord[]
      /** Send it as `cursor` for the next page; null on the last one */
      readonly next_cursor: string | null
    }
  }
  /** One of the own requests, by its id */
  "GET /admin/api/v1/me/requests/{id}": {
    params: { id: string }
    query: { at?: string }
    of: undefined
    body: undefined
    answer: RequestRecord
  }
  /** The own requests as they end */
  "GET /admin/api/v1/me/live/requests": {
    params: undefined
    query: { key_id?: string; model?: string; provider?: string; status?: "success" | "error" | "client_error" | "server_error" }
    of: undefined
    body: undefined
    answer: undefined
  }
  /** What is left to do to get started */
  "GET /admin/api/v1/me/guide": {
    params: undefined
    query: undefined
    of: undefined
    body: undefined
    answer: Guide
  }
  /** Put "Getting started" away, or take it out again */
  "PUT /admin/api/v1/me/guide": {
    params: undefined
    query: undefined
    of: undefined
    body: GuideChange
    answer: Guide
  }
  /** List users */
  "GET /admin/api/v1/users": {
    params: undefined
    query: { cursor?: string; limit?: number; email?: string; kind?: "person" | "service"; group_id?: string; q?: string; sort?: "created" | "email" | "name" | "last_seen"; order?: "asc" | "desc" }
    of: undefined
    body: undefined
    answer: {
      readonly data: readonly User[]
      /** Send it as `cursor` for the next page; null on the last one */
      readonly next_cursor: string | null
    }
  }
  /** Create a user */
  "POST /admin/api/v1/users": {
    params: undefined
    query: undefined
    of: undefined
    body: UserCreation
    answer: User
  }
  /** One user */
  "GET /admin/api/v1/users/{id}": {
    params: { id: string }
    query: undefined
    of: undefined
    body: undefined
    answer: User
  }
  /** Change a user */
  "PATCH /admin/api/v1/users/{id}": {
    params: { id: string }
    query: undefined
    of: { readonly etag: string } | null
    body: UserChange
    answer: User
  }
  /** Delete a user with all keys and sessions */
  "DELETE /admin/api/v1/users/{id}": {
    params: { id: string }
    query: undefined
    of: { readonly etag: string } | null
    body: undefined
    answer: undefined
  }
  /** Set a user's password; all sessions of the user end */
  "POST /admin/api/v1/users/{id}/password": {
    params: { id: string }
    query: undefined
    of: undefined
    body: NewPassword
    answer: undefined
  }
  /** Make a user a member of a group */
  "PUT /admin/api/v1/users/{id}/groups/{groupId}": {
    params: { id: string; groupId: string }
    query: undefined
    of: undefined
    body: undefined
    answer: undefined
  }
  /** End a membership; there may have been none */
  "DELETE /admin/api/v1/users/{id}/groups/{groupId}": {
    params: { id: string; groupId: string }
    query: undefined
    of: undefined
    body: undefined
    answer: undefined
  }
  /** Enable, disable or delete several users, or change their groups */
  "POST /admin/api/v1/users/bulk": {
    params: undefined
    query: undefined
    of: undefined
    body: UsersChange
    answer: UsersChangeResult
  }
  /** One user's sessions in browsers */
  "GET /admin/api/v1/users/{id}/sessions": {
    params: { id: string }
    query: undefined
    of: undefined
    body: undefined
    answer: {
      readonly data: readonly Session[]
    }
  }
  /** End all of a user's sessions */
  "DELETE /admin/api/v1/users/{id}/sessions": {
    params: { id: string }
    query: undefined
    of: undefined
    body: undefined
    answer: undefined
  }
  /** End one of a user's sessions */
  "DELETE /admin/api/v1/users/{id}/sessions/{sessionId}": {
    params: { id: string; sessionId: string }
    query: undefined
    of: undefined
    body: undefined
    answer: undefined
  }
  /** Make a link by which a user chooses a password */
  "POST /admin/api/v1/users/{id}/invitation": {
    params: { id: string }
    query: undefined
    of: undefined
    body: InvitationCreation
    answer: Invitation
  }
  /** Withdraw the link; there may have been none */
  "DELETE /admin/api/v1/users/{id}/invitation": {
    params: { id: string }
    query: undefined
    of: undefined
    body: undefined
    answer: undefined
  }
  /** List groups */
  "GET /admin/api/v1/groups": {
    params: undefined
    query: { cursor?: string; limit?: number }
    of: undefined
    body: undefined
    answer: {
      readonly data: readonly Group[]
      /** Send it as `cursor` for the next page; null on the last one */
      readonly next_cursor: string | null
    }
  }
  /** Create a group */
  "POST /admin/api/v1/groups": {
    params: undefined
    query: undefined
    of: undefined
    body: GroupCreation
    answer: Group
  }
  /** List the users that were added to a group */
  "GET /admin/api/v1/groups/{id}/members": {
    params: { id: string }
    query: { cursor?: string; limit?: number }
    of: undefined
    body: undefined
    answer: {
      readonly data: readonly User[]
      /** Send it as `cursor` for the next page; null on the last one */
      readonly next_cursor: string | null
    }
  }
  /** One group */
  "GET /admin/api/v1/groups/{id}": {
    params: { id: string }
    query: undefined
    of: undefined
    body: undefined
    answer: Group
  }
  /** Change a group */
  "PATCH /admin/api/v1/groups/{id}": {
    params: { id: string }
    query: undefined
    of: { readonly etag: string } | null
    body: GroupChange
    answer: Group
  }
  /** Delete a group; its members lose what only it gave them */
  "DELETE /admin/api/v1/groups/{id}": {
    params: { id: string }
    query: undefined
    of: { readonly etag: string } | null
    body: undefined
    answer: undefined
  }
  /** List API keys of all users */
  "GET /admin/api/v1/keys": {
    params: undefined
    query: { cursor?: string; limit?: number; q?: string; sort?: "created" | "name" | "last_used" | "expires"; order?: "asc" | "desc"; user_id?: string }
    of: undefined
    body: undefined
    answer: {
      readonly data: readonly ApiKey[]
      /** Send it as `cursor` for the next page; null on the last one */
      readonly next_cursor: string | null
    }
  }
  /** List one user's API keys */
  "GET /admin/api/v1/users/{id}/keys": {
    params: { id: string }
    query: { cursor?: string; limit?: number; q?: string; sort?: "created" | "name" | "last_used" | "expires"; order?: "asc" | "desc" }
    of: undefined
    body: undefined
    answer: {
      readonly data: readonly ApiKey[]
      /** Send it as `cursor` for the next page; null on the last one */
      readonly next_cursor: string | null
    }
  }
  /** Create an API key for a user */
  "POST /admin/api/v1/users/{id}/keys": {
    params: { id: string }
    query: undefined
    of: undefined
    body: ApiKeyCreation
    answer: CreatedApiKey
  }
  /** One API key */
  "GET /admin/api/v1/keys/{id}": {
    params: { id: string }
    query: undefined
    of: undefined
    body: undefined
    answer: ApiKey
  }
  /** Change an API key */
  "PATCH /admin/api/v1/keys/{id}": {
    params: { id: string }
    query: undefined
    of: { readonly etag: string } | null
    body: ApiKeyChange
    answer: ApiKey
  }
  /** Delete an API key; the next request with it is refused */
  "DELETE /admin/api/v1/keys/{id}": {
    params: { id: string }
    query: undefined
    of: { readonly etag: string } | null
    body: undefined
    answer: undefined
  }
  /** Give an API key another secret */
  "POST /admin/api/v1/keys/{id}/rotate": {
    params: { id: string }
    query: undefined
    of: { readonly etag: string } | null
    body: ApiKeyRotation
    answer: CreatedApiKey
  }
  /** Delete several API keys at once */
  "POST /admin/api/v1/keys/delete": {
    params: undefined
    query: undefined
    of: undefined
    body: ApiKeyDeletion
    answer: {
      /** Ids; those that did not exist are not among them */
      readonly deleted: readonly string[]
    }
  }
  /** What kinds of provider there are */
  "GET /admin/api/v1/provider-kinds": {
    params: undefined
    query: undefined
    of: undefined
    body: undefined
    answer: {
      readonly data: readonly ProviderKind[]
    }
  }
  /** Known vendors and local servers, to set up a provider with one choice */
  "GET /admin/api/v1/provider-presets": {
    params: undefined
    query: undefined
    of: undefined
    body: undefined
    answer: {
      readonly data: readonly ProviderPreset[]
    }
  }
  /** List providers */
  "GET /admin/api/v1/providers": {
    params: undefined
    query: { cursor?: string; limit?: number }
    of: undefined
    body: undefined
    answer: {
      readonly data: readonly Provider[]
      /** Send it as `cursor` for the next page; null on the last one */
      readonly next_cursor: string | null
    }
  }
  /** Create a provider */
  "POST /admin/api/v1/providers": {
    params: undefined
    query: undefined
    of: undefined
    body: ProviderCreation
    answer: Provider
  }
  /** One provider */
  "GET /admin/api/v1/providers/{id}": {
    params: { id: string }
    query: undefined
    of: undefined
    body: undefined
    answer: Provider
  }
  /** Change a provider; running requests go on as they began */
  "PATCH /admin/api/v1/providers/{id}": {
    params: { id: string }
    query: undefined
    of: { readonly etag: string } | null
    body: ProviderChange
    answer: Provider
  }
  /** Delete a provider */
  "DELETE /admin/api/v1/providers/{id}": {
    params: { id: string }
    query: { cascade?: "true" | "false" }
    of: { readonly etag: string } | null
    body: undefined
    answer: undefined
  }
  /** Ask a provider for its models without saving it */
  "POST /admin/api/v1/providers/test": {
    params: undefined
    query: undefined
    of: undefined
    body: ProviderCreation
    answer: ProviderTest
  }
  /** Ask a saved provider for its models */
  "POST /admin/api/v1/providers/{id}/test": {
    params: { id: string }
    query: undefined
    of: undefined
    body: undefined
    answer: ProviderTest
  }
  /** Create many models that the provider offers */
  "POST /admin/api/v1/providers/{id}/import-models": {
    params: { id: string }
    query: undefined
    of: undefined
    body: ModelImport
    answer: ImportedModels
  }
  /** Look for model servers on this machine and for keys of vendors in its environment */
  "GET /admin/api/v1/providers/found": {
    params: undefined
    query: undefined
    of: undefined
    body: undefined
    answer: FoundProviders
  }
  /** How the models of each provider are doing */
  "GET /admin/api/v1/provider-health": {
    params: undefined
    query: undefined
    of: undefined
    body: undefined
    answer: {
      readonly data: readonly ProviderHealth[]
      /** Whose figures are in the answer */
      readonly processes: readonly ProcessAge[]
    }
  }
  /** List models, active or not */
  "GET /admin/api/v1/models": {
    params: undefined
    query: { cursor?: string; limit?: number; provider_id?: string }
    of: undefined
    body: undefined
    answer: {
      readonly data: readonly ModelRecord[]
      /** Send it as `cursor` for the next page; null on the last one */
      readonly next_cursor: string | null
    }
  }
  /** Create a model of a provider, or a composite of models */
  "POST /admin/api/v1/models": {
    params: undefined
    query: undefined
    of: undefined
    body: ModelCreation
    answer: ModelRecord
  }
  /** One model */
  "GET /admin/api/v1/models/{id}": {
    params: { id: string }
    query: undefined
    of: undefined
    body: undefined
    answer: ModelRecord
  }
  /** Change a model */
  "PATCH /admin/api/v1/models/{id}": {
    params: { id: string }
    query: undefined
    of: { readonly etag: string } | null
    body: ModelChange
    answer: ModelRecord
  }
  /** Delete a model with its aliases; usage records stay */
  "DELETE /admin/api/v1/models/{id}": {
    params: { id: string }
    query: undefined
    of: { readonly etag: string } | null
    body: undefined
    answer: undefined
  }
  /** How the upstreams of a model are doing */
  "GET /admin/api/v1/models/{id}/health": {
    params: { id: string }
    query: undefined
    of: undefined
    body: undefined
    answer: {
      readonly data: readonly UpstreamHealth[]
      /** Whose figures are in the answer */
      readonly processes: readonly ProcessAge[]
    }
  }
  /** What would happen to the requests of a composite */
  "POST /admin/api/v1/composite-simulations": {
    params: undefined
    query: undefined
    of: undefined
    body: RoutingQuestion
    answer: RoutingForecast
  }
  /** List accounts' own in-flight limits, by model and e-mail address */
  "GET /admin/api/v1/inflight-limits": {
    params: undefined
    query: undefined
    of: undefined
    body: undefined
    answer: {
      readonly data: readonly OwnInflightLimit[]
    }
  }
  /** List accounts' own in-flight limits for a model */
  "GET /admin/api/v1/models/{id}/inflight-limits": {
    params: { id: string }
    query: undefined
    of: undefined
    body: undefined
    answer: {
      readonly data: readonly InflightLimit[]
    }
  }
  /** Set an account's own in-flight limit for a model */
  "PUT /admin/api/v1/models/{id}/inflight-limits/{userId}": {
    params: { id: string; userId: string }
    query: undefined
    of: { readonly etag: string } | null
    body: NewInflightLimit
    answer: InflightLimit
  }
  /** Remove an account's own limit: the model's holds again */
  "DELETE /admin/api/v1/models/{id}/inflight-limits/{userId}": {
    params: { id: string; userId: string }
    query: undefined
    of: { readonly etag: string } | null
    body: undefined
    answer: undefined
  }
  /** Requests in flight now, by model */
  "GET /admin/api/v1/inflight": {
    params: undefined
    query: undefined
    of: undefined
    body: undefined
    answer: {
      readonly data: readonly InflightUse[]
      /** Whose figures are in the answer */
      readonly processes: readonly ProcessAge[]
    }
  }
  /** The price of each active model of a provider, as it is now */
  "GET /admin/api/v1/prices": {
    params: undefined
    query: undefined
    of: undefined
    body: undefined
    answer: {
      readonly currency: string
      readonly data: readonly ModelPrice[]
    }
  }
  /** Take the list prices of the vendors' catalogue */
  "POST /admin/api/v1/prices/import": {
    params: undefined
    query: undefined
    of: undefined
    body: PriceImport
    answer: PriceImportResult
  }
  /** Compute the costs of a period again, by the prices of now */
  "POST /admin/api/v1/prices/recompute": {
    params: undefined
    query: undefined
    of: undefined
    body: PriceRecomputation
    answer: PriceRecomputationResult
  }
  /** Every price that a model ever had, the newest first */
  "GET /admin/api/v1/models/{id}/prices": {
    params: { id: string }
    query: undefined
    of: undefined
    body: undefined
    answer: {
      readonly currency: string
      /** In effect now; null when none is known */
      readonly price: Price | null
      readonly data: readonly Price[]
    }
  }
  /** Set the price of a model from a moment on */
  "POST /admin/api/v1/models/{id}/prices": {
    params: { id: string }
    query: undefined
    of: undefined
    body: NewPrice
    answer: Price
  }
  /** Remove a price: the one before it is in effect again, or none */
  "DELETE /admin/api/v1/models/{id}/prices/{priceId}": {
    params: { id: string; priceId: string }
    query: undefined
    of: undefined
    body: undefined
    answer: undefined
  }
  /** List budgets with what is spent in the window of now */
  "GET /admin/api/v1/budgets": {
    params: undefined
    query: { scope?: "key" | "user" | "group" | "model" | "provider"; scope_id?: string; reached?: "true" | "false" }
    of: undefined
    body: undefined
    answer: {
      readonly currency: string
      readonly data: readonly Budget[]
    }
  }
  /** Create a budget on a key, user, group, model or provider */
  "POST /admin/api/v1/budgets": {
    params: undefined
    query: undefined
    of: undefined
    body: NewBudget
    answer: Budget
  }
  /** One budget */
  "GET /admin/api/v1/budgets/{id}": {
    params: { id: string }
    query: undefined
    of: undefined
    body: undefined
    answer: Budget
  }
  /** Change a budget; what is spent stays */
  "PATCH /admin/api/v1/budgets/{id}": {
    params: { id: string }
    query: undefined
    of: { readonly etag: string } | null
    body: BudgetChange
    answer: Budget
  }
  /** Delete a budget; usage records stay */
  "DELETE /admin/api/v1/budgets/{id}": {
    params: { id: string }
    query: undefined
    of: { readonly etag: string } | null
    body: undefined
    answer: undefined
  }
  /** Make free what processes held that are gone */
  "POST /admin/api/v1/budgets/{id}/reconcile": {
    params: { id: string }
    query: undefined
    of: undefined
    body: undefined
    answer: {
      readonly released: number
    }
  }
  /** Recompute all counters from the usage records */
  "GET /admin/api/v1/budgets-proof": {
    params: undefined
    query: undefined
    of: undefined
    body: undefined
    answer: {
      /** How many were compared: one for each budget and window */
      readonly counters: number
      /** Sum of all differences: 0 unless something is wrong */
      readonly difference: number
      /** Those that differ, the first thousand */
      readonly data: readonly BudgetProof[]
    }
  }
  /** What the caller has used this month, and what is left of its budgets */
  "GET /ai/v1/usage/me": {
    params: undefined
    query: undefined
    of: undefined
    body: undefined
    answer: OwnUsage
  }
  /** What was used in a span of time */
  "GET /admin/api/v1/usage": {
    params: undefined
    query: { from?: string; to?: string; key_id?: string; model?: string; provider?: string; user_id?: string; group_id?: string }
    of: undefined
    body: undefined
    answer: UsageTotals
  }
  /** The same over time */
  "GET /admin/api/v1/usage/series": {
    params: undefined
    query: { from?: string; to?: string; key_id?: string; model?: string; provider?: string; user_id?: string; group_id?: string; top?: number; top_by?: "requests" | "cost"; cursor?: string; limit?: number; bucket?: "minute" | "hour" | "day"; group_by?: "model" | "user" | "key" | "provider" | "group" | "none" }
    of: undefined
    body: undefined
    answer: UsageSeries
  }
  /** Single requests, the newest first */
  "GET /admin/api/v1/requests": {
    params: undefined
    query: { cursor?: string; limit?: number; from?: string; to?: string; key_id?: string; model?: string; provider?: string; user_id?: string; group_id?: string; status?: "success" | "error" | "client_error" | "server_error" }
    of: undefined
    body: undefined
    answer: {
      readonly data: readonly RequestRecord[]
      /** Send it as `cursor` for the next page; null on the last one */
      readonly next_cursor: string | null
    }
  }
  /** One request, by its id */
  "GET /admin/api/v1/requests/{id}": {
    params: { id: string }
    query: { at?: string }
    of: undefined
    body: undefined
    answer: RequestRecord
  }
  /** How long answered requests took, as percentiles */
  "GET /admin/api/v1/usage/latency": {
    params: undefined
    query: { from?: string; to?: string; model?: string; provider?: string; bucket?: "minute" | "hour" | "day"; group_by?: "model" | "provider" | "none" }
    of: undefined
    body: undefined
    answer: Latency
  }
  /** Requests as they end */
  "GET /admin/api/v1/live/requests": {
    params: undefined
    query: { key_id?: string; model?: string; provider?: string; user_id?: string; group_id?: string; status?: "success" | "error" | "client_error" | "server_error" }
    of: undefined
    body: undefined
    answer: undefined
  }
  /** What each of some keys, users or models was used, day by day */
  "GET /admin/api/v1/usage/activity": {
    params: undefined
    query: { of?: "key" | "user" | "model"; ids?: string; days?: number }
    of: undefined
    body: undefined
    answer: Activity
  }
  /** List the endpoints to which events are sent */
  "GET /admin/api/v1/webhooks": {
    params: undefined
    query: undefined
    of: undefined
    body: undefined
    answer: {
      readonly data: readonly Webhook[]
    }
  }
  /** Add an endpoint to which events are sent */
  "POST /admin/api/v1/webhooks": {
    params: undefined
    query: undefined
    of: undefined
    body: NewWebhook
    answer: WebhookWithSecret
  }
  /** One endpoint of webhooks */
  "GET /admin/api/v1/webhooks/{id}": {
    params: { id: string }
    query: undefined
    of: undefined
    body: undefined
    answer: Webhook
  }
  /** Change an endpoint, or switch it off or on */
  "PATCH /admin/api/v1/webhooks/{id}": {
    params: { id: string }
    query: undefined
    of: { readonly etag: string } | null
    body: WebhookChange
    answer: Webhook
  }
  /** Delete an endpoint with its deliveries */
  "DELETE /admin/api/v1/webhooks/{id}": {
    params: { id: string }
    query: undefined
    of: { readonly etag: string } | null
    body: undefined
    answer: undefined
  }
  /** Give an endpoint a new secret */
  "POST /admin/api/v1/webhooks/{id}/rotate": {
    params: { id: string }
    query: undefined
    of: undefined
    body: WebhookRotation
    answer: WebhookWithSecret
  }
  /** Send a `ping` now and say what came of it */
  "POST /admin/api/v1/webhooks/{id}/test": {
    params: { id: string }
    query: undefined
    of: undefined
    body: undefined
    answer: WebhookAttempt
  }
  /** The deliveries of an endpoint, the newest first */
  "GET /admin/api/v1/webhooks/{id}/deliveries": {
    params: { id: string }
    query: { cursor?: string; limit?: number; state?: "waiting" | "delivered" | "failed" }
    of: undefined
    body: undefined
    answer: {
      readonly data: readonly WebhookDelivery[]
      /** Send it as `cursor` for the next page; null on the last one */
      readonly next_cursor: string | null
    }
  }
  /** Send a delivery again, with the same event id */
  "POST /admin/api/v1/webhooks/{id}/deliveries/{deliveryId}/replay": {
    params: { id: string; deliveryId: string }
    query: undefined
    of: undefined
    body: undefined
    answer: WebhookDelivery
  }
  /** Send all failed deliveries since a time again */
  "POST /admin/api/v1/webhooks/{id}/replay": {
    params: { id: string }
    query: undefined
    of: undefined
    body: WebhookReplay
    answer: {
      readonly replayed: number
    }
  }
  /** List the sources that documents are kept in step with */
  "GET /admin/api/v1/sources": {
    params: undefined
    query: undefined
    of: undefined
    body: undefined
    answer: {
      readonly data: readonly Source[]
    }
  }
  /** Add a source; its first run begins at once */
  "POST /admin/api/v1/sources": {
    params: undefined
    query: undefined
    of: undefined
    body: NewSource
    answer: Source
  }
  /** One source and its last run */
  "GET /admin/api/v1/sources/{id}": {
    params: { id: string }
    query: undefined
    of: undefined
    body: undefined
    answer: Source
  }
  /** Change a source, or switch it off or on */
  "PATCH /admin/api/v1/sources/{id}": {
    params: { id: string }
    query: undefined
    of: { readonly etag: string } | null
    body: SourceChange
    answer: Source
  }
  /** Delete a source; its documents stay with their user */
  "DELETE /admin/api/v1/sources/{id}": {
    params: { id: string }
    query: undefined
    of: { readonly etag: string } | null
    body: undefined
    answer: undefined
  }
  /** Look at a source now */
  "POST /admin/api/v1/sources/{id}/run": {
    params: { id: string }
    query: undefined
    of: undefined
    body: undefined
    answer: Source
  }
  /** What a run would do now; changes nothing */
  "POST /admin/api/v1/sources/{id}/dry-run": {
    params: { id: string }
    query: undefined
    of: undefined
    body: undefined
    answer: {
      /** Changes in all */
      readonly total: number
      readonly data: readonly ({
        readonly change: "new" | "changed" | "moved" | "deleted"
        readonly file: string
      })[]
    }
  }
  /** Who changed what, and who signed in; the newest first */
  "GET /admin/api/v1/audit": {
    params: undefined
    query: { cursor?: string; limit?: number; actor?: string; action?: string; record?: string; outcome?: "begun" | "done" | "refused" | "failed"; since?: string; until?: string }
    of: undefined
    body: undefined
    answer: {
      readonly data: readonly AuditRow[]
      /** Send it as `cursor` for the next page; null on the last one */
      readonly next_cursor: string | null
    }
  }
  /** Recompute the hashes of the audit log */
  "GET /admin/api/v1/audit-proof": {
    params: undefined
    query: undefined
    of: undefined
    body: undefined
    answer: AuditProof
  }
  /** Requests whose content is logged, the newest first */
  "GET /admin/api/v1/content-logs": {
    params: undefined
    query: { cursor?: string; limit?: number; request_id?: string; user_id?: string; key_id?: string; model?: string; from?: string; to?: string; text?: string }
    of: undefined
    body: undefined
    answer: {
      readonly data: readonly ContentLog[]
      /** Send it as `cursor` to go on, also after a page of a search that found nothing; null at the end */
      readonly next_cursor: string | null
    }
  }
  /** The logged content of one request */
  "GET /admin/api/v1/content-logs/{id}": {
    params: { id: string }
    query: undefined
    of: undefined
    body: undefined
    answer: FullContentLog
  }
  /** Conversations as a fine-tuning file in the chat format of OpenAI */
  "GET /admin/api/v1/content-logs-export": {
    params: undefined
    query: { request_id?: string; user_id?: string; key_id?: string; model?: string; from?: string; to?: string }
    of: undefined
    body: undefined
    answer: undefined
  }
  /** Remove logged content, for example all of one user */
  "POST /admin/api/v1/content-logs/remove": {
    params: undefined
    query: undefined
    of: undefined
    body: {
      readonly user_id?: string | undefined
      readonly key_id?: string | undefined
      readonly request_id?: string | undefined
    }
    answer: {
      readonly removed: number
    }
  }
  /** List exports of usage, those of the newest time first */
  "GET /admin/api/v1/exports": {
    params: undefined
    query: { cursor?: string; limit?: number }
    of: undefined
    body: undefined
    answer: {
      readonly data: readonly UsageExport[]
      /** Send it as `cursor` for the next page; null on the last one */
      readonly next_cursor: string | null
    }
  }
  /** One export, and what its time adds up to now */
  "GET /admin/api/v1/exports/{id}": {
    params: { id: string }
    query: undefined
    of: undefined
    body: undefined
    answer: {
      readonly id: string
      readonly period: "day" | "month"
      readonly starts_at: string
      /** First moment that no longer counts */
      readonly ends_at: string
      readonly time_zone: string
      /** 1 for the first; restatements have 2, 3, … */
      readonly version: number
      readonly state: "pending" | "done"
      /** Why the last attempt failed; it is tried again */
      readonly error: string | null
      readonly rows: number | null
      /** What the files add up to; null while it is pending */
      readonly totals: {
        readonly requests: number
        /** In 10^-9 of the currency */
        readonly cost: number
      } | null
      readonly created_at: string
      readonly finished_at: string | null
      readonly files: readonly ({
        readonly format: "csv" | "parquet"
        readonly name: string
        readonly bytes: number
        readonly sha256: string
        readonly url: string
      })[]
      /** What its time adds up to now: other than `totals`, it is to be restated */
      readonly now: {
        readonly requests: number
        /** In 10^-9 of the currency */
        readonly cost: number
      }
    }
  }
  /** Export the same time again, as the next version; the earlier files stay */
  "POST /admin/api/v1/exports/{id}/restate": {
    params: { id: string }
    query: undefined
    of: undefined
    body: undefined
    answer: UsageExport
  }
  /** A file of an export */
  "GET /admin/api/v1/exports/{id}/files/{format}": {
    params: { id: string; format: string }
    query: undefined
    of: undefined
    body: undefined
    answer: undefined
  }
  /** List all settings with their values and where those come from */
  "GET /admin/api/v1/settings": {
    params: undefined
    query: undefined
    of: undefined
    body: undefined
    answer: {
      readonly data: readonly Setting[]
    }
  }
  /** Store a value for a live setting; it holds for the next request */
  "PUT /admin/api/v1/settings/{name}": {
    params: { name: string }
    query: undefined
    of: { readonly etag: string } | null
    body: NewSettingValue
    answer: Setting
  }
  /** Remove the stored value of a setting, if there is one */
  "DELETE /admin/api/v1/settings/{name}": {
    params: { name: string }
    query: undefined
    of: { readonly etag: string } | null
    body: undefined
    answer: Setting
  }
  /** Move vectors to the place that the settings want */
  "POST /admin/api/v1/vector-index/move": {
    params: undefined
    query: undefined
    of: undefined
    body: undefined
    answer: VectorIndex
  }
  /** Version, database and uptime of this server */
  "GET /admin/api/v1/about": {
    params: undefined
    query: undefined
    of: undefined
    body: undefined
    answer: About
  }
  /** List and find people, in the order of their creation */
  "GET /scim/v2/Users": {
    params: undefined
    query: undefined
    of: undefined
    body: undefined
    answer: undefined
  }
  /** Create a user */
  "POST /scim/v2/Users": {
    params: undefined
    query: undefined
    of: undefined
    body: {}
    answer: undefined
  }
  /** One user */
  "GET /scim/v2/Users/{id}": {
    params: { id: string }
    query: undefined
    of: undefined
    body: undefined
    answer: undefined
  }
  /** Write a user */
  "PUT /scim/v2/Users/{id}": {
    params: { id: string }
    query: undefined
    of: undefined
    body: {}
    answer: undefined
  }
  /** Change a user by operations; `active: false` refuses all keys and sessions at once */
  "PATCH /scim/v2/Users/{id}": {
    params: { id: string }
    query: undefined
    of: undefined
    body: {}
    answer: undefined
  }
  /** Delete a user with all keys */
  "DELETE /scim/v2/Users/{id}": {
    params: { id: string }
    query: undefined
    of: undefined
    body: undefined
    answer: undefined
  }
  /** List and find groups, in the order of their creation */
  "GET /scim/v2/Groups": {
    params: undefined
    query: undefined
    of: undefined
    body: undefined
    answer: undefined
  }
  /** Create a group */
  "POST /scim/v2/Groups": {
    params: undefined
    query: undefined
    of: undefined
    body: {}
    answer: undefined
  }
  /** One group */
  "GET /scim/v2/Groups/{id}": {
    params: { id: string }
    query: undefined
    of: undefined
    body: undefined
    answer: undefined
  }
  /** Write a group with all its members */
  "PUT /scim/v2/Groups/{id}": {
    params: { id: string }
    query: undefined
    of: undefined
    body: {}
    answer: undefined
  }
  /** Change a group and its members by operations */
  "PATCH /scim/v2/Groups/{id}": {
    params: { id: string }
    query: undefined
    of: undefined
    body: {}
    answer: undefined
  }
  /** Delete a group; its members lose what only it gave them */
  "DELETE /scim/v2/Groups/{id}": {
    params: { id: string }
    query: undefined
    of: undefined
    body: undefined
    answer: undefined
  }
  /** What this server can do */
  "GET /scim/v2/ServiceProviderConfig": {
    params: undefined
    query: undefined
    of: undefined
    body: undefined
    answer: undefined
  }
  /** Which resources there are */
  "GET /scim/v2/ResourceTypes": {
    params: undefined
    query: undefined
    of: undefined
    body: undefined
    answer: undefined
  }
  /** Which resources there are: one of them */
  "GET /scim/v2/ResourceTypes/{name}": {
    params: { name: string }
    query: undefined
    of: undefined
    body: undefined
    answer: undefined
  }
  /** Which attributes resources have */
  "GET /scim/v2/Schemas": {
    params: undefined
    query: undefined
    of: undefined
    body: undefined
    answer: undefined
  }
  /** Which attributes resources have: one of them */
  "GET /scim/v2/Schemas/{name}": {
    params: { name: string }
    query: undefined
    of: undefined
    body: undefined
    answer: undefined
  }
  /** The web console; where it is not built, leads to the page about this API */
  "GET /": {
    params: undefined
    query: undefined
    of: undefined
    body: undefined
    answer: undefined
  }
  /** This API as an OpenAPI 3.1 document */
  "GET /openapi.json": {
    params: undefined
    query: undefined
    of: undefined
    body: undefined
    answer: {
      readonly openapi: string
    }
  }
  /** This API as a page to read */
  "GET /docs": {
    params: undefined
    query: undefined
    of: undefined
    body: undefined
    answer: undefined
  }
}
