/**
 * Checks one declared entity against its schema and words what is wrong the way the settings do:
 * by path, with the nearest known field for an unknown one, without any secret.
 */
import type { core } from 'zod'
import { z } from '#lib/schema.ts'
import type { Tree } from '../sources/file.ts'
import { nearestRemedy } from '../nearest.ts'
import { shownValue, type Problem } from '../problem.ts'

/** The file being read, and the problems found so far. */
export interface EntryReader {
  readonly file: string
  /** The declared sections as written, before `${NAME}` is replaced. */
  readonly written: Tree
  readonly problems: Problem[]
}

/** Fields that hold a secret, or whose parts do. */
const secretFields: ReadonlySet<PropertyKey> = new Set(['credential', 'headers', 'options', 'password'])

/** The checked value, or null after adding its problems to the reading. */
export function readEntry<S extends z.ZodType>(
  reading: EntryReader,
  path: string,
  item: unknown,
  schema: S,
): z.output<S> | null {
  const result = schema.safeParse(withoutBlanks(item))
  if (result.success) return result.data
  for (const issue of result.error.issues) {
    if (issue.code === 'unrecognized_keys') {
      const known = fieldsAt(schema, issue.path)
      reading.problems.push(
        ...issue.keys.map((key) => unknownField(reading, joinPath(path, [...issue.path, key]), key, known)),
      )
    } else {
      const problem = issueProblem(reading, path, issue)
      // An unset variable has been reported, and the value in its place is wrong because of that.
      if (!reading.problems.some(({ name }) => name === problem.name)) reading.problems.push(problem)
    }
  }
  return null
}

/** Blank values count as not set, as they do for settings. */
function withoutBlanks(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutBlanks)
  if (node === null || typeof node !== 'object') return node
  const entries = Object.entries(node).filter(([, value]) => value !== null)
  return Object.fromEntries(entries.map(([key, value]) => [key, withoutBlanks(value)]))
}

/** The fields of the object schema at a path, for advice about a mistyped one. */
function fieldsAt(schema: core.$ZodType, path: readonly PropertyKey[]): readonly string[] {
  let at: core.$ZodType = schema
  for (const key of path) {
    at = unwrapped(at)
    if (at instanceof z.ZodObject) at = at.shape[String(key)] as core.$ZodType
  }
  at = unwrapped(at)
  return at instanceof z.ZodObject ? Object.keys(at.shape) : []
}

function unwrapped(schema: core.$ZodType): core.$ZodType {
  return schema instanceof z.ZodDefault || schema instanceof z.ZodOptional ? unwrapped(schema.def.innerType) : schema
}

function unknownField(reading: EntryReader, path: string, key: string, known: readonly string[]): Problem {
  return {
    name: path,
    source: `${reading.file}: ${path}`,
    value: null,
    expected: 'there is no such field',
    remedy: nearestRemedy(key, known),
  }
}

function issueProblem(reading: EntryReader, path: string, issue: core.$ZodIssue): Problem {
  const name = joinPath(path, issue.path)
  const isSecret = issue.path.some((key) => secretFields.has(key))
  const written = writtenAt(reading.written, name)
  const isMissing = written === undefined || written === null
  return {
    name,
    source: `${reading.file}: ${name}`,
    value: isSecret || isMissing ? null : shownValue(written),
    expected: isMissing ? 'this is required' : issueText(issue),
    remedy: isMissing ? 'Write it.' : 'Correct it; docs/configuration.md describes the field.',
  }
}

const typeTexts: Readonly<Record<string, string>> = {
  string: 'a text: put it in quotes',
  array: 'a list',
  object: 'a mapping',
  record: 'a mapping',
  boolean: 'true or false',
  int: 'a whole number',
}

function issueText(issue: core.$ZodIssue): string {
  // A bad key of a mapping: the reason is one level down.
  if (issue.code === 'invalid_key') return issue.issues[0]?.message ?? issue.message
  const isOurs = issue.message.startsWith('expected ')
  if (issue.code === 'invalid_type' && !isOurs) return `expected ${typeTexts[issue.expected] ?? `a ${issue.expected}`}`
  return issue.message.replace(/^[^:]*: (?=expected)/, '')
}

function joinPath(path: string, keys: readonly PropertyKey[]): string {
  return keys.reduce<string>((joined, key) => joined + (typeof key === 'number' ? `[${key}]` : `.${String(key)}`), path)
}

/** The node at a path like `providers[0].models[1].name`; undefined when there is none. */
function writtenAt(tree: Tree, path: string): unknown {
  if (path.startsWith('aliases.'))
    return (tree['aliases'] as Tree)[path.slice('aliases.'.length).replace(/\.model$/, '')]
  let node: unknown = tree
  for (const key of path.split(/\.|\[(\d+)\]/).filter((part) => part !== undefined && part !== '')) {
    node = node !== null && typeof node === 'object' && Object.hasOwn(node, key) ? (node as Tree)[key] : undefined
  }
  return node
}
