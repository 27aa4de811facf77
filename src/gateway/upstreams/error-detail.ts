/**
 * Reads why an upstream refused, from the shapes in which servers write it: OpenAI's object, Anthropic's with details,
 * Google's with a status, also in a list, FastAPI's `detail`, also as a `message` (Mistral), problem+json (RFC 9457),
 * Amazon's `message` at the top, a list of `errors` (Cloudflare), and the answer of a server behind it (OpenRouter).
 */
import type { ApiErrorDetail } from '#errors/api-error.ts'
import { isObject } from '#lib/json-value.ts'
import type { Secret } from '#lib/secret.ts'
import { redact } from '#observe/redact.ts'

type Fields = Readonly<Record<string, unknown>>

const messageCharsMax = 2000
/** Entries of a list of mistakes that are repeated to the client. */
const mistakesMax = 5

/**
 * What of the body the client can use. A server may repeat a credential that it does not like: it is cut out.
 * @param known the credentials of the provider
 */
export function errorDetail(body: string, known: Iterable<Secret> = []): ApiErrorDetail {
  const detail = readDetail(body)
  return detail.message === undefined ? detail : { ...detail, message: redact(detail.message, known) }
}

function readDetail(body: string): ApiErrorDetail {
  const top = parsed(body)
  if (top === null) return { wireCode: null }
  // OpenAI nests the object; several servers write its fields at the top or as one string.
  const nested = top['error'] ?? top
  if (typeof nested === 'string') return { message: clip(nested), wireCode: codeOf(top) }
  if (isTexts(nested)) return { message: clip(nested.join('; ')), wireCode: codeOf(top) }
  const error = isObject(nested) ? nested : {}
  const mistakes = [error, top, error['message']]
    .map((place) => fieldOf(place, 'detail'))
    .find((detail) => (detail ?? null) !== null)
  const [mistake] = Array.isArray(mistakes) ? (mistakes as readonly unknown[]) : []
  const type = error['type']
  return {
    message: firstText(
      withInner(error),
      error['Message'],
      wordsOf(mistakes),
      top['message'],
      error['title'],
      fieldOf(first(top['errors']), 'message'),
    ),
    param: typeof error['param'] === 'string' ? error['param'] : paramOf(mistake),
    wireCode: codeOf(error),
    // The types of problem+json are addresses, which mean nothing to a client of this API.
    ...(typeof type === 'string' && !/[:/]/.test(type) && { wireType: type }),
  }
}

/** A server between others says only that one of them refused, and repeats that one's answer as a text. */
function withInner({ message, metadata }: Fields): unknown {
  const raw = isObject(metadata) ? metadata['raw'] : null
  if (typeof raw !== 'string' || typeof message !== 'string') return message
  const inner = readDetail(raw).message
  return inner === undefined ? message : `${message}: ${inner}`
}

/** A code that says more than the status; null when there is none. */
function codeOf({ code, details, status }: Fields): string | null {
  if (typeof code === 'string' && code !== '') return code
  const nested = isObject(details) ? details['error_code'] : null
  if (typeof nested === 'string') return nested
  // Google writes the HTTP status as `code`, and its own name for it as `status`.
  return typeof code === 'number' && typeof status === 'string' ? status : null
}

/** FastAPI's `detail`: a text, or mistakes with the place of each. */
function wordsOf(detail: unknown): string | undefined {
  if (typeof detail === 'string') return detail
  if (isObject(detail)) return firstText(detail['message'], detail['error'])
  if (!Array.isArray(detail)) return undefined
  const words = detail.slice(0, mistakesMax).flatMap((mistake: unknown) => {
    if (!isObject(mistake) || typeof mistake['msg'] !== 'string') return []
    const place = paramOf(mistake)
    return [place === null ? mistake['msg'] : `${place}: ${mistake['msg']}`]
  })
  return words.length === 0 ? undefined : words.join('; ')
}

/** The dotted path of a mistake; its first part only says that it is in the body. */
function paramOf(mistake: unknown): string | null {
  const place = isObject(mistake) ? mistake['loc'] : null
  if (!Array.isArray(place)) return null
  const path = place.filter((part) => typeof part === 'string' || typeof part === 'number')
  return (path[0] === 'body' ? path.slice(1) : path).join('.') || null
}

function firstText(...values: readonly unknown[]): string | undefined {
  const text = values.find((value) => typeof value === 'string' && value !== '')
  return typeof text === 'string' ? clip(text) : undefined
}

function fieldOf(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined
}

function first(list: unknown): unknown {
  return Array.isArray(list) ? (list as readonly unknown[])[0] : undefined
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}

function clip(text: string): string | undefined {
  if (text === '') return undefined
  return text.length > messageCharsMax ? `${text.slice(0, messageCharsMax)}…` : text
}

function parsed(text: string): Fields | null {
  try {
    const value: unknown = JSON.parse(text)
    // Google's endpoint for OpenAI's clients puts its errors into a list.
    const top = Array.isArray(value) ? first(value) : value
    return isObject(top) ? top : null
  } catch {
    // An HTML page or plain text is not meant for the caller.
    return null
  }
}
