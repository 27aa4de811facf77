/**
 * The settings of a running server: what was resolved at start, plus what administrators stored for
 * `live` settings. A value that the file, the environment or the command line gives is fixed: a
 * stored one then waits until it is removed there. So one look at the deployment tells which values are in effect.
 */
import { describeSettings, type SettingDescription } from './describe.ts'
import { nearestRemedy } from '../nearest.ts'
import { shownValue, type Problem } from '../problem.ts'
import { isSettingName, recordOf, settingNames, type SettingName, type Settings, type SettingValue } from './records.ts'
import { sourceText, type Source, type Sources } from './source.ts'
import { readValue } from './value.ts'

export type StoredCheck =
  | { readonly kind: 'ok'; readonly name: SettingName; readonly value: SettingValue }
  | { readonly kind: 'unknown'; readonly problem: Problem }
  /** A boot setting, or one that a stronger source fixes. */
  | { readonly kind: 'fixed'; readonly problem: Problem }
  | { readonly kind: 'invalid'; readonly problem: Problem }

export class LiveSettings {
  readonly #bootSettings: Settings
  readonly #bootSources: Sources
  #settings: Settings
  #sources: Sources

  constructor(settings: Settings, sources: Sources) {
    this.#bootSettings = settings
    this.#bootSources = sources
    this.#settings = settings
    this.#sources = sources
  }

  /** The value that holds now. Cheap enough for every request; ask again each time it is needed. */
  get<N extends SettingName>(name: N): Settings[N] {
    return this.#settings[name]
  }

  /** Every setting with its value, source and class; secrets are not readable. */
  describe(): readonly SettingDescription[] {
    return describeSettings(this.#settings, this.#sources)
  }

  /** Whether an administrator may store this value; nothing is changed. */
  checkStored(name: string, value: unknown): StoredCheck {
    const base = { name, source: sourceText({ kind: 'stored' }), value: null }
    if (!isSettingName(name)) {
      const problem = { ...base, expected: 'there is no such setting', remedy: nearestRemedy(name, settingNames) }
      return { kind: 'unknown', problem }
    }
    const record = recordOf(name)
    if (record.class === 'boot') {
      const remedy = 'Set it in the file or in the environment, and restart.'
      return { kind: 'fixed', problem: { ...base, expected: 'the setting is read at start only', remedy } }
    }
    const source = this.#bootSources[name]
    if (source.kind !== 'default') {
      const expected = `the setting is fixed by ${sourceText(source)}`
      return { kind: 'fixed', problem: { ...base, expected, remedy: 'Remove it there and restart.' } }
    }
    const read = readValue(record, value)
    if (read.kind === 'ok') return { kind: 'ok', name, value: read.value }
    const problem = {
      ...base,
      value: record.type === 'secret' ? null : shownValue(value),
      expected: read.expected,
      remedy: `For example: ${record.example}.`,
    }
    return { kind: 'invalid', problem }
  }

  /**
   * Makes the given overrides the only ones, in one step. Those that do not pass `checkStored` (left
   * by another version, or fixed in the meantime) are skipped and returned, never fatal.
   */
  applyStored(overrides: ReadonlyMap<string, unknown>): readonly Problem[] {
    const problems: Problem[] = []
    const values: Partial<Record<SettingName, SettingValue>> = {}
    const sources: Partial<Record<SettingName, Source>> = {}
    for (const [name, value] of overrides) {
      const check = this.checkStored(name, value)
      if (check.kind === 'ok') {
        values[check.name] = check.value
        sources[check.name] = { kind: 'stored' }
      } else {
        problems.push(check.problem)
      }
    }
    // Each value was checked against the record of its own name.
    this.#settings = Object.freeze({ ...this.#bootSettings, ...values }) as Settings
    this.#sources = Object.freeze({ ...this.#bootSources, ...sources })
    return problems
  }
}
