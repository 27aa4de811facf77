/**
 * Holds every answer that a test sees against the app's own OpenAPI document: its status, its media type and, when the
 * test reads it, its JSON.
 */
import Ajv, { type ValidateFunction } from 'ajv/dist/2020'
import type { OpenApiDocument, Operation } from '#http/openapi.ts'
import type { App } from '#src/app.ts'

const documentId = 'openapi'

interface Described {
  readonly operation: Operation
  readonly method: string
  readonly path: RegExp
  /** Fewest are the most exact. */
  readonly parameters: number
  /** JSON pointer of the operation. */
  readonly pointer: string
}

/** What a body has to be. The checks throw for one that is otherwise. */
export interface ExpectedBody {
  readonly type: 'application/json' | 'application/scim+json' | 'text/event-stream'
  readonly checkJson: (text: string) => void
  /** @param data of one event, as JSON */
  readonly checkEvent: (data: string) => void
}

/** The document of the app, compiled where it is needed. */
export class Documented {
  readonly #operations: readonly Described[]
  readonly #ajv = new Ajv({ strict: false, validateSchema: false, validateFormats: false, allowUnionTypes: true })
  readonly #validators = new Map<string, ValidateFunction>()

  /** Documents of the same text are compiled once in a process. */
  static async of(app: Pick<App, 'handleTrusted'>): Promise<Documented> {
    const text = await (await app.handleTrusted(new Request('http://localhost/openapi.json'))).text()
    const known = made.get(text) ?? new Documented(JSON.parse(text) as OpenApiDocument)
    made.set(text, known)
    return known
  }

  private constructor(document: OpenApiDocument) {
    this.#ajv.addSchema(document as object, documentId)
    this.#operations = Object.entries(document.paths)
      .flatMap(([path, methods]) => Object.entries(methods).map((entry) => describe(path, ...entry)))
      .toSorted((a, b) => a.parameters - b.parameters)
  }

  /** The same response. Throws, here or where its JSON is read, when the document says otherwise. */
  check(method: string, path: string, response: Response): Response {
    const expected = this.expect(method, path, response)
    return expected?.type.endsWith('json') === true ? checkedWhenRead(response, expected.checkJson) : response
  }

  /** What the document expects of the body; null where it has nothing to say. Throws when it does not know such an answer. */
  expect(method: string, path: string, response: Response): ExpectedBody | null {
    const { pathname } = new URL(path, 'http://localhost')
    const described = this.#operations.find((each) => each.method === method && each.path.test(pathname))
    // 431 is described for all addresses at once, in the introduction.
    if (described === undefined || response.status === 431) return null
    const what = `${method} ${pathname} answered ${response.status}`
    const { key, type } = describedAnswer(described.operation, response, what)
    const { responses } = described.operation
    // What is a text in the document has its form from elsewhere, such as the events of the Model Context Protocol.
    const isText = responses[key]?.content?.[type ?? '']?.schema.type === 'string'
    const isJson = type === 'application/json' || type === 'application/scim+json'
    if (isText || (!isJson && type !== 'text/event-stream')) return null
    const held = (text: string, at: string, as: string): void => {
      const validate = this.#validator(`${described.pointer}/responses/${at}/content/${as}/schema`)
      if (!validate(JSON.parse(text)))
        throw new Error(
          `${what} otherwise than documented: ${JSON.stringify(validate.errors)} in ${text.slice(0, 500)}`,
        )
    }
    return {
      type,
      checkJson: (text) => held(text, key, (isJson ? type : 'application/json').replace('/', '~1')),
      // A stream that breaks off says so in the words of a refusal.
      checkEvent: (data) =>
        'error' in (JSON.parse(data) as object) && !('type' in (JSON.parse(data) as object))
          ? held(data, '502' in responses ? '502' : '500', 'application~1json')
          : held(data, key, 'text~1event-stream'),
    }
  }

  #validator(pointer: string): ValidateFunction {
    const known = this.#validators.get(pointer)
    if (known !== undefined) return known
    const validator = this.#ajv.compile({ $ref: `${documentId}#${pointer}` })
    this.#validators.set(pointer, validator)
    return validator
  }
}

/** Under which status the answer is described, and its media type. Throws when it is not. */
function describedAnswer(
  { responses }: Operation,
  response: Response,
  what: string,
): { readonly key: string; readonly type: string | null } {
  const key = [String(response.status), `${String(response.status)[0]}XX`].find((each) => each in responses)
  const type = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? null
  const content = responses[key ?? '']?.content ?? {}
  const range = [type ?? '', `${type?.split('/')[0]}/*`].find((each) => each in content)
  if (key === undefined) throw new Error(`${what}: only ${Object.keys(responses).join(', ')} are documented`)
  if (type !== null && range === undefined)
    throw new Error(`${what} as ${type}: only ${Object.keys(content).join(', ') || 'none'} is documented`)
  return { key, type }
}

const made = new Map<string, Documented>()

function describe(path: string, method: string, operation: Operation): Described {
  const rest = operation.parameters?.find(({ description }) => description === 'May hold slashes.')?.name
  const pattern = path
    .replaceAll(/[.+]/g, '\\$&')
    .replace(`{${rest}}`, '.+')
    .replaceAll(/\{\w+\}/g, '[^/]+')
  return {
    operation,
    method: method.toUpperCase(),
    path: new RegExp(`^${pattern}$`),
    parameters: path.split('{').length + (rest === undefined ? 0 : 10),
    pointer: `/paths/${encodeURIComponent(path.replaceAll('~', '~0').replaceAll('/', '~1'))}/${method}`,
  }
}

/** Reading it ahead would change when the server can send. */
function checkedWhenRead(response: Response, check: (text: string) => void): Response {
  const read = response.text.bind(response)
  const text = async (): Promise<string> => {
    const body = await read()
    check(body)
    return body
  }
  return Object.assign(response, { text, json: async (): Promise<unknown> => JSON.parse(await text()) })
}
