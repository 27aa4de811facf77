/** Answers of the JSON endpoints that are not relayed from an upstream. */
import { takesEncoding } from './accepted-encoding.ts'

/** A JSON answer. */
export function json(value: unknown, status = 200, headers?: Record<string, string>): Response {
  return jsonText(JSON.stringify(value), status, headers)
}

/** The same of a JSON that is there as text. */
export function jsonText(text: string, status = 200, headers?: Record<string, string>): Response {
  return new Response(text, { status, headers: { 'content-type': 'application/json', ...headers } })
}

/** Shorter ones fit into a packet or two. */
const compressedFrom = 2048

/** The same, compressed where the client takes that and it is worth it: lists are a third to a tenth then, at 10 µs a KB. */
export function compressibleJson(
  { headers: asked }: Request,
  value: unknown,
  headers: Record<string, string> = {},
): Response {
  const text = JSON.stringify(value)
  const varying = { 'content-type': 'application/json', vary: 'accept-encoding', ...headers }
  if (text.length < compressedFrom || !takesEncoding(asked.get('accept-encoding') ?? '', 'gzip'))
    return new Response(text, { headers: varying })
  const bytes = Bun.gzipSync(text, { level: 3 })
  return new Response(bytes, { headers: { ...varying, 'content-encoding': 'gzip' } })
}

/** 204: done, nothing to say. */
export function noContent(headers?: Record<string, string>): Response {
  return new Response(null, { status: 204, ...(headers && { headers }) })
}
