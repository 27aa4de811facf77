/** For the tests of this folder: configurations from text, read the way a start reads them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Environment } from './sources/environment.ts'
import { loadConfig, type ConfigResult } from './load.ts'
import type { Problem } from './problem.ts'

export interface GivenConfig {
  /** The text of sluice.yaml; without it there is no file. */
  readonly yaml?: string
  readonly environment?: Environment
  readonly overrides?: readonly string[]
}

type Loaded = Extract<ConfigResult, { readonly kind: 'ok' }>

/** Loads a configuration in a directory of its own, which is gone afterwards. */
export function load(given: GivenConfig = {}): ConfigResult {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-config-'))
  try {
    if (given.yaml !== undefined) writeFileSync(join(directory, 'sluice.yaml'), given.yaml)
    return loadConfig({ directory, environment: given.environment ?? {}, overrides: given.overrides ?? [] })
  } finally {
    rmSync(directory, { recursive: true })
  }
}

/** The result of a configuration that must be right. */
export function loaded(given: GivenConfig = {}): Loaded {
  const result = load(given)
  if (result.kind === 'problems') throw new Error(JSON.stringify(result.problems, null, 2))
  return result
}

/** The problems of a configuration that must be wrong. */
export function problemsOf(given: GivenConfig): readonly Problem[] {
  const result = load(given)
  if (result.kind === 'ok') throw new Error('the configuration was accepted')
  return result.problems
}

/** The names that have problems, in order of the report. */
export function namesOf(problems: readonly Problem[]): readonly string[] {
  return problems.map((problem) => problem.name)
}
