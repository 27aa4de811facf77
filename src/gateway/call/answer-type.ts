/**
 * The content type under which an answer goes to the client. A provider's own word counts only among the
 * types that the endpoint can answer: a page or a script is never served from the gateway's origin.
 */

const json = /^application\/(?:[a-z0-9.-]+\+)?json(?: *;|$)/i
const plainText = /^text\/(?:plain|vtt|srt)(?: *;|$)/i
const media = /^(?:audio|video)\/[a-z0-9.+-]+(?: *;|$)/i

/** For one JSON document. */
export function jsonType(sent: string | undefined): string {
  return sent !== undefined && json.test(sent) ? sent : 'application/json'
}

/** For a text, such as a transcript. */
export function textType(sent: string | undefined): string {
  return sent !== undefined && plainText.test(sent) ? sent : 'text/plain; charset=utf-8'
}

/** For sound. */
export function mediaType(sent: string | undefined): string {
  return sent !== undefined && media.test(sent) ? sent : 'application/octet-stream'
}
