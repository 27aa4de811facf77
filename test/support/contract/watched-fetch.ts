/**
 * Holds what any client of this process gets of an app against its OpenAPI document, whatever library the client is: all
 * of them end at the global `fetch`. Bodies are looked at while the client reads them, so nothing is read ahead.
 */
import type { Documented, ExpectedBody } from './documented.ts'

const native = globalThis.fetch
const watched = new Map<string, Watch>()

interface Watch {
  readonly documented: Documented
  readonly contradictions: unknown[]
}

/** Fetches past the watch: for answers that are checked elsewhere, or that no document describes. */
export const unwatchedFetch: typeof fetch = native

/** Watches until it is disposed of, which throws when an answer contradicts the document. */
export function watchFetch(origin: string, documented: Documented): Disposable {
  const watch: Watch = { documented, contradictions: [] }
  watched.set(origin, watch)
  globalThis.fetch = Object.assign(watchedFetch, native)
  return {
    [Symbol.dispose]() {
      watched.delete(origin)
      if (watched.size === 0) globalThis.fetch = native
      if (watch.contradictions.length > 0)
        throw new Error('An answer contradicts the document.', { cause: watch.contradictions[0] })
    },
  }
}

async function watchedFetch(input: string | URL | Request, init?: BunFetchRequestInit): Promise<Response> {
  const response = await native(input, init)
  const url = new URL(input instanceof Request ? input.url : input)
  const watch = watched.get(url.origin)
  if (watch === undefined) return response
  const method = init?.method ?? (input instanceof Request ? input.method : 'GET')
  const noted = <T>(check: () => T): T | null => {
    try {
      return check()
    } catch (thrown) {
      watch.contradictions.push(thrown)
      return null
    }
  }
  const expected = noted(() => watch.documented.expect(method.toUpperCase(), url.pathname, response))
  // A client that unpacks the body itself gets it packed.
  const isPacked = init?.decompress === false && response.headers.has('content-encoding')
  if (expected === null || response.body === null || isPacked) return response
  const { status, statusText, headers } = response
  const body = response.body.pipeThrough(inspecting((text) => noted(() => checkBody(expected, text))))
  return Object.defineProperty(new Response(body, { status, statusText, headers }), 'url', { value: response.url })
}

/** Passes everything on, and shows the text once all of it has been read. */
function inspecting(
  inspect: (text: string) => void,
): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = []
  return new TransformStream({
    transform(piece, controller) {
      pieces.push(piece)
      controller.enqueue(piece)
    },
    flush: () => inspect(Buffer.concat(pieces).toString('utf8')),
  })
}

function checkBody({ type, checkJson, checkEvent }: ExpectedBody, text: string): void {
  if (type === 'application/json') return checkJson(text)
  for (const [, data = ''] of text.matchAll(/^data: ?(.*)$/gm)) if (data.startsWith('{')) checkEvent(data)
}
