/**
 * Every error that Sluice itself can answer, one row each.
 *
 * A row fixes what a client may rely on: the code (stable, documented in docs/errors.md, which is
 * generated from this table), the HTTP status, the OpenAI-style type, who caused it and whether the
 * same request could succeed later. The sentence is the public message used when the place that
 * refuses has nothing more exact to say; it tells the reader what to do next.
 *
 * Adding an error means adding a row here and a contract test under test/contract.
 */

/** Who has to act for the error to go away. Metrics and retry decisions read this, never the status. */
export type ErrorOrigin = 'client' | 'gateway' | 'upstream'

export interface ErrorRow {
  readonly status: number
  readonly type: string
  readonly origin: ErrorOrigin
  /** False puts `x-should-retry: false` on the answer: the official SDKs then do not try again. */
  readonly retryable: boolean
  /** Seconds for the `Retry-After` header when the refusing place names none. */
  readonly retryAfterSeconds?: number
  readonly message: string
}

const client = { origin: 'client', retryable: false } as const
const gateway = { origin: 'gateway', retryable: true } as const
const upstream = { origin: 'upstream', retryable: true } as const

export const errorCatalogue = {
  // 400: the request cannot be understood
  invalid_json: { ...client, status: 400, type: 'invalid_request_error', message: 'The request body is not valid JSON.' },
  vector_store_expired: { ...client, status: 400, type: 'invalid_request_error', message: 'The vector store has expired. Create a new one.' },
  invalid_body: { ...client, status: 400, type: 'invalid_request_error', message: 'The request body has a field that is missing or of the wrong type.' },
  invalid_multipart: { ...client, status: 400, type: 'invalid_request_error', message: 'The multipart body cannot be read.' },
  invalid_host: { ...client, status: 400, type: 'invalid_request_error', message: 'The request has more than one Host header. Send one.' },
  conflicting_api_keys: { ...client, status: 400, type: 'invalid_request_error', message: 'The request has two different API keys. Send one: as "Authorization: Bearer <key>", "x-api-key" or "api-key".' },
  missing_model: { ...client, status: 400, type: 'invalid_request_error', message: 'The request names no model. Set "model" to a name from GET /ai/v1/models.' },
  too_many_images: { ...client, status: 400, type: 'invalid_request_error', message: 'A request accepts one image. Send one request for each image.' },
  invalid_group: { ...client, status: 400, type: 'invalid_request_error', message: 'The group filter must be group ids (UUIDs), separated by commas.' },
  invalid_query_parameter: { ...client, status: 400, type: 'invalid_request_error', message: 'A query parameter has a value that is not allowed.' },
  invalid_value: { ...client, status: 400, type: 'invalid_request_error', message: 'A field of the request refers to something that does not exist.' },
  unsupported_value: { ...client, status: 400, type: 'invalid_request_error', message: 'The model does not support this value.' },
  previous_response_not_found: { ...client, status: 400, type: 'invalid_request_error', message: 'The previous response is not stored for your account. Send the whole conversation as "input".' },
  thread_unsupported_request: { ...client, status: 400, type: 'invalid_request_error', message: '"thread" cannot be used through this gateway: conversations are not stored here. Send the whole conversation as "messages", without "thread".' },
  cost_unbounded: { ...client, status: 400, type: 'invalid_request_error', message: 'A budget limits what you may spend, and nobody can say what this request costs at most. Set "max_tokens"; for images and files, an administrator has to set the context length of the model.' },
  invalid_cursor: { ...client, status: 400, type: 'invalid_request_error', message: 'The cursor is not valid. Start again without a cursor.' },

  // 401: who is calling
  missing_api_key: { ...client, status: 401, type: 'authentication_error', message: 'No API key was sent. Send it as "Authorization: Bearer <key>".' },
  invalid_api_key: { ...client, status: 401, type: 'authentication_error', message: 'The API key is not valid: it is mistyped, expired, or has been deleted. Create a new one on the API Keys page.' },
  invalid_session: { ...client, status: 401, type: 'authentication_error', message: 'You are not signed in, or the session has ended. Sign in again.' },
  invalid_credentials: { ...client, status: 401, type: 'authentication_error', message: 'The e-mail address or the password is wrong.' },

  // 402: money
  budget_exceeded: { ...client, status: 402, type: 'insufficient_quota', message: 'A budget that this request counts in does not have what it can cost. Ask an administrator, or wait until the budget renews.' },
  price_unknown: { ...client, status: 402, type: 'insufficient_quota', message: 'A budget limits what you may spend, and nobody knows what this model costs. Ask an administrator to set its price.' },

  // 403: may the caller do this
  model_access_denied: { ...client, status: 403, type: 'permission_error', message: 'Your account has no access to this model. Ask an administrator to add you to a group that has it.' },
  realtime_denied: { ...client, status: 403, type: 'permission_error', message: 'This model does not accept real-time requests. GET /ai/v1/models?available_for_realtime=true lists the models that do.' },
  batch_denied: { ...client, status: 403, type: 'permission_error', message: 'This model does not accept batch requests. Choose another model.' },
  scope_denied: { ...client, status: 403, type: 'permission_error', message: 'This API key may not use this part of the API. Use a key whose scopes include it.' },
  admin_required: { ...client, status: 403, type: 'permission_error', message: 'Only an administrator may do this.' },
  password_change_required: { ...client, status: 403, type: 'permission_error', message: 'Another person has chosen this password. Choose one of your own: sign in with "new_password" beside it.' },
  origin_denied: { ...client, status: 403, type: 'permission_error', message: 'The request comes from another web site. Open the console at its own address.' },
  document_read_only: { ...client, status: 403, type: 'permission_error', message: 'You may read this document but not change it. Only its importer, its owners and administrators may.' },
  declared_read_only: { ...client, status: 403, type: 'permission_error', message: 'This is declared in the configuration file. Change it there and restart.' },

  // 404, 405, 409: what is addressed
  not_found: { ...client, status: 404, type: 'not_found_error', message: 'There is nothing at this address.' },
  consumer_group_not_found: { ...client, status: 404, type: 'not_found_error', message: 'No consumer group, model or alias has this name.' },
  model_not_found: { ...client, status: 404, type: 'not_found_error', message: 'No model has this name. GET /ai/v1/models lists the models that you can use.' },
  response_not_found: { ...client, status: 404, type: 'not_found_error', message: 'No response with this id is stored for your account. It was deleted or never stored: the provider of the model may have no Responses API, or the request had "store": false.' },
  conversation_not_found: { ...client, status: 404, type: 'not_found_error', message: 'This conversation is not stored for your account.' },
  item_not_found: { ...client, status: 404, type: 'not_found_error', message: 'No item with this id is stored for your account. Send the item itself.' },
  vector_store_not_found: { ...client, status: 404, type: 'not_found_error', message: 'Your account has no vector store with this id.' },
  file_not_found: { ...client, status: 404, type: 'not_found_error', message: 'Your account has no file with this id.' },
  upload_not_found: { ...client, status: 404, type: 'not_found_error', message: 'Your account has no upload with this id. An upload that is not completed within an hour is gone.' },
  batch_not_found: { ...client, status: 404, type: 'not_found_error', message: 'Your account has no batch with this id.' },
  endpoint_not_supported: { ...client, status: 404, type: 'not_found_error', message: 'The provider of this model does not support this endpoint.' },
  method_not_allowed: { ...client, status: 405, type: 'invalid_request_error', message: 'This address does not support this method.' },
  file_in_use: { ...client, status: 409, type: 'invalid_request_error', message: 'A batch that has not ended needs this file. Cancel the batch, or wait for its end.' },
  upload_ended: { ...client, status: 409, type: 'invalid_request_error', message: 'This upload is completed or cancelled already.' },
  batch_ended: { ...client, status: 409, type: 'invalid_request_error', message: 'This batch has ended or is ending already.' },
  async_request_ended: { ...client, status: 409, type: 'invalid_request_error', message: 'This async request was cancelled, or its time was over.' },
  record_changed: { ...client, status: 409, type: 'invalid_request_error', message: 'The record has changed since it was read. "current" is what it is now: look at it, and send the change again with its "etag" as If-Match.' },
  conflict: { ...client, status: 409, type: 'invalid_request_error', message: 'This name is already in use.' },

  // 408, 413, 415, 416, 422: the body
  body_timeout: { ...client, retryable: true, status: 408, type: 'invalid_request_error', message: 'The request body did not arrive in time.' },
  image_too_large: { ...client, status: 413, type: 'request_too_large', message: "The image exceeds the server's limit." },
  request_too_large: { ...client, status: 413, type: 'request_too_large', message: 'The request body is too large.' },
  unsupported_image: { ...client, status: 415, type: 'invalid_request_error', message: 'The file is not a supported image. Send PNG, JPEG, WebP, GIF, BMP or TIFF.' },
  unsupported_media_type: { ...client, status: 415, type: 'invalid_request_error', message: 'The request body must be JSON. Send "Content-Type: application/json".' },
  range_not_satisfiable: { ...client, status: 416, type: 'invalid_request_error', message: 'The file has no bytes in the range that was asked for.' },
  missing_image: { ...client, status: 422, type: 'invalid_request_error', message: 'The form holds no image. Send it as the part "image_data".' },
  invalid_image: { ...client, status: 422, type: 'invalid_request_error', message: 'The image is damaged or incomplete.' },
  invalid_image_path: { ...client, status: 422, type: 'invalid_request_error', message: 'The server may not read an image at this path. Send the image with the request.' },
  invalid_json_schema: { ...client, status: 422, type: 'invalid_request_error', message: 'The JSON schema cannot be used.' },
  invalid_regex: { ...client, status: 422, type: 'invalid_request_error', message: 'The regular expression cannot be used.' },
  unsupported_parameter: { ...client, status: 422, type: 'invalid_request_error', message: 'The model does not support a field of the request. Remove the field, or use another model.' },
  invalid_filter: { ...client, status: 422, type: 'invalid_request_error', message: 'The filter over metadata is not valid.' },
  validation_failed: { ...client, status: 422, type: 'invalid_request_error', message: 'A field of the request has a value that is not allowed.' },

  // 426: the protocol
  upgrade_required: { ...client, status: 426, type: 'invalid_request_error', message: 'This address takes WebSocket connections only. Connect to it with ws:// or wss://.' },

  // 429: too much at once
  inflight_limit_exceeded: { ...client, retryable: true, status: 429, type: 'rate_limit_error', retryAfterSeconds: 1, message: 'Your account has too many requests in flight on this model. Try again when one of them has finished.' },
  rate_limit_exceeded: { ...client, retryable: true, status: 429, type: 'rate_limit_error', message: 'A rate limit is used up. Try again when it has renewed.' },
  queue_full: { ...client, retryable: true, status: 429, type: 'rate_limit_error', retryAfterSeconds: 1, message: 'Too many requests wait for this model. Try again later.' },
  queue_timeout: { ...client, retryable: true, status: 429, type: 'rate_limit_error', retryAfterSeconds: 1, message: 'The request waited too long for this model, which has as many requests as it may have at once. Try again later.' },
  too_many_reports: { ...client, retryable: true, status: 429, type: 'rate_limit_error', retryAfterSeconds: 1, message: 'Too many reports of your account are being made. Try again when one of them is done.' },
  too_many_attempts: { ...client, status: 429, type: 'rate_limit_error', message: 'Too many failed sign-ins. Wait before you try again.' },

  // errors of the upstream
  upstream_rejected: { ...client, origin: 'client', status: 400, type: 'invalid_request_error', message: 'The model provider refused the request.' },
  upstream_rate_limited: { ...upstream, status: 429, type: 'rate_limit_error', message: 'The model provider is limiting requests. Try again later.' },
  upstream_error: { ...upstream, status: 502, type: 'upstream_error', message: 'The model provider failed to answer.' },
  upstream_auth_failed: { ...upstream, retryable: false, status: 502, type: 'upstream_error', message: 'The model provider refused the credential of this gateway. An administrator must correct it.' },
  upstream_invalid_response: { ...upstream, status: 502, type: 'upstream_error', message: 'The model provider sent an invalid response.' },
  upstream_stream_error: { ...upstream, status: 502, type: 'upstream_error', message: 'The model provider ended the response early. The text received so far is incomplete.' },
  upstream_unavailable: { ...upstream, status: 503, type: 'upstream_unavailable', message: 'No provider of this model is available at the moment.' },
  upstream_timeout: { ...upstream, status: 504, type: 'upstream_timeout', message: 'The model provider did not answer in time.' },

  // errors of this server
  client_closed: { ...client, status: 499, type: 'invalid_request_error', message: 'The client closed the connection before the answer was complete.' },
  vector_index_unavailable: { ...gateway, status: 503, type: 'api_error', retryAfterSeconds: 5, message: 'The index of the vectors does not answer at the moment. Search by keywords with "mode": "keyword", or try again.' },
  embedder_unavailable: { ...gateway, status: 503, type: 'api_error', retryAfterSeconds: 5, message: 'The embedding model is not available at the moment. Search by keywords with "mode": "keyword", or try again.' },
  backlog_full: { ...gateway, status: 503, type: 'api_error', retryAfterSeconds: 30, message: 'Too many documents are waiting. Try again later.' },
  storage_full: { ...gateway, status: 503, type: 'api_error', retryAfterSeconds: 30, message: 'The server cannot store anything at the moment: its disk is full or cannot be written. Try again later; an administrator has to make room.' },
  overloaded: { ...gateway, status: 503, type: 'api_error', retryAfterSeconds: 5, message: 'The server has no files, processes or memory left for this. Try again shortly.' },
  store_unavailable: { ...gateway, status: 503, type: 'store_unavailable', retryAfterSeconds: 1, message: 'The database cannot be reached. Try again shortly.' },
  shutting_down: { ...gateway, status: 503, type: 'api_error', retryAfterSeconds: 1, message: 'The server is shutting down. Try again.' },
  internal_error: { ...gateway, status: 500, type: 'api_error', message: 'The server failed to handle the request. The request id is in the x-request-id header; give it to your administrator.' },
} as const satisfies Record<string, ErrorRow>

export type ErrorCode = keyof typeof errorCatalogue

/** What any call of a model can end with once the caller may make it: too much at once, or the provider's fault. */
export const modelErrors: readonly ErrorCode[] = [
  'budget_exceeded',
  'price_unknown',
  'cost_unbounded',
  'inflight_limit_exceeded',
  'rate_limit_exceeded',
  'queue_full',
  'queue_timeout',
  'upstream_rate_limited',
  'upstream_error',
  'upstream_auth_failed',
  'upstream_invalid_response',
  'upstream_unavailable',
  'upstream_timeout',
]

/** What reading the body of a call can answer. */
export const modelBodyErrors: readonly ErrorCode[] = [
  'invalid_json',
  'invalid_body',
  'missing_model',
  'body_timeout',
  'request_too_large',
  'unsupported_media_type',
]
