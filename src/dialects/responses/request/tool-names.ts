/**
 * Names of tools in a chat completion, which has one flat list of functions: a tool of a namespace carries the
 * namespace in its name, and a custom tool is a function with one text. The answer names each as the client does.
 */
import { createHash } from 'node:crypto'

/** A tool as the client knows it. */
export interface ToolIdentity {
  readonly kind: 'function' | 'custom'
  readonly name: string
  readonly namespace: string | null
}

/** The client's tools by their names in the chat completion. */
export type ToolNames = ReadonlyMap<string, ToolIdentity>

/** The longest name that servers take. */
const nameCharsMax = 64
const digestChars = 8

/** The name of the function: the same for the tool and for calls of it in the conversation. */
export function chatNameOf({ name, namespace }: Pick<ToolIdentity, 'name' | 'namespace'>): string {
  if (namespace === null) return name
  const joined = `${namespace}${namespace.endsWith('_') ? '' : '__'}${name}`.replaceAll(/[^\w-]/g, '_')
  if (joined.length <= nameCharsMax) return joined
  const digest = createHash('sha256').update(joined).digest('hex').slice(0, digestChars)
  return `${joined.slice(0, nameCharsMax - digestChars - 1)}_${digest}`
}

/** The input of a custom tool as the arguments of its function. */
export function customArguments(input: string): string {
  return JSON.stringify({ input })
}

/** The input in the arguments; the arguments themselves where a model wrote them otherwise. */
export function customInput(args: string): string {
  try {
    const value: unknown = JSON.parse(args)
    if (typeof value === 'string') return value
    const { input } = value as { readonly input?: unknown }
    return typeof input === 'string' ? input : args
  } catch {
    return args
  }
}
