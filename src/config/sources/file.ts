/**
 * Finds the configuration file, reads it and parses it into a plain tree. What the tree means is
 * decided elsewhere.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { variable, type Environment } from './environment.ts'
import { referencedVariables } from './interpolate.ts'
import type { Problem } from '../problem.ts'

/** Names the configuration file when no `--config` is given. */
export const fileVariable = 'SLUICE_CONFIG'

const defaultFile = 'sluice.yaml'
const depthMax = 32
const nodesMax = 100_000

export type Tree = Readonly<Record<string, unknown>>

export interface ConfigFile {
  /** As it was given; null when there is none, which is a problem only when one was named. */
  readonly file: string | null
  readonly tree: Tree
  /** Environment variables that the text refers to, also where it cannot be parsed. */
  readonly references: ReadonlySet<string>
  readonly problems: readonly Problem[]
}

type Parsed = Pick<ConfigFile, 'tree' | 'problems'>

const nothing = { tree: {}, references: new Set<string>(), problems: [] } as const

export interface FileChoice {
  /** The value of `--config`. */
  readonly configFile?: string | undefined
  readonly environment: Environment
  /** Where `sluice.yaml` is looked for; the working directory when left out. */
  readonly directory?: string | undefined
}

/** Reads the file that `--config` names, else the one that SLUICE_CONFIG names, else ./sluice.yaml. */
export function readConfigFile(choice: FileChoice): ConfigFile {
  const named = choice.configFile ?? variable(choice.environment, fileVariable)
  const implied = choice.directory === undefined ? defaultFile : join(choice.directory, defaultFile)
  const file = named ?? (existsSync(implied) ? implied : null)
  if (file === null) return { ...nothing, file: null }
  const source = choice.configFile !== undefined ? '--config' : named !== null ? fileVariable : file
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'unknown error'
    return {
      file,
      ...nothing,
      ...failed(file, source, `the file cannot be read (${reason})`, 'Check the path and who may read it.'),
    }
  }
  return { file, ...parseConfigFile(text, file), references: referencedVariables(text) }
}

/** Parses the text of a file. A file that holds nothing but comments is an empty tree. */
function parseConfigFile(text: string, file: string): Parsed {
  let tree: unknown
  try {
    tree = Bun.YAML.parse(text)
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace('YAML Parse error: ', '') : 'unknown error'
    const remedy = `Look after line ${lastReadableLine(text)}: up to there it can be read.`
    return failed(file, file, `the file is not valid YAML: ${reason}`, remedy)
  }
  if (tree === null || tree === undefined) return nothing
  if (typeof tree !== 'object' || Array.isArray(tree)) {
    return failed(file, file, 'the file must hold one mapping', 'Write "name: value" lines at the left margin.')
  }
  if (!isBounded(tree)) {
    return failed(file, file, 'the file is nested too deeply or refers to itself', 'Remove the aliases (*name) in it.')
  }
  const problems = repeatedSections(text).map((name): Problem => {
    const expected = 'the name stands twice at the left margin, and only the last one would count'
    return { name, source: `${file}: ${name}`, value: null, expected, remedy: 'Put both parts under one.' }
  })
  return { tree: tree as Tree, problems }
}

function failed(file: string, source: string, expected: string, remedy: string): Parsed {
  return { tree: {}, problems: [{ name: file, source, value: null, expected, remedy }] }
}

/** Bun's parser tells no position, so the longest readable beginning is looked for. Runs on failure only. */
function lastReadableLine(text: string): number {
  const lines = text.split('\n')
  for (let count = Math.min(lines.length - 1, 2000); count > 0; count--) {
    try {
      Bun.YAML.parse(lines.slice(0, count).join('\n'))
      return count
    } catch {
      continue
    }
  }
  return 0
}

/** The parser keeps the last of two equal keys without a word; a section written twice is the likely case. */
function repeatedSections(text: string): readonly string[] {
  if (/^\s*\{/m.exec(text)?.index === 0) return []
  const names = [...text.matchAll(/^([A-Za-z_][\w.]*)[ \t]*:(?=\s|$)/gm)].flatMap((match) => match[1] ?? [])
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))]
}

/** False for a tree that is cyclic, or that aliases blow up to an unreasonable size. */
function isBounded(tree: unknown): boolean {
  let nodes = 0
  const visit = (node: unknown, depth: number): boolean => {
    if (++nodes > nodesMax || depth > depthMax) return false
    return node === null || typeof node !== 'object' || Object.values(node).every((item) => visit(item, depth + 1))
  }
  return visit(tree, 0)
}
