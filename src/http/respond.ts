/** Answers of the JSON endpoints that are not relayed from an upstream. */

/** A JSON answer. */
export function json(value: unknown, status = 200, headers?: Record<string, string>): Response {
  return new Response(JSON.stringify(value), { status, headers: { 'content-type': 'application/json', ...headers } })
}

/** 204: done, nothing to say. */
export function noContent(headers?: Record<string, string>): Response {
  return new Response(null, { status: 204, ...(headers && { headers }) })
}
