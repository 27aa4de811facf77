/**
 * Settings as data for people: `sluice print-config` and the admin page. Secrets read `[secret]`;
 * of a database URL only the password does.
 */
import { Secret } from '#lib/secret.ts'
import { maskUrlPassword } from '../problem.ts'
import {
  recordOf,
  settingNames,
  variableOf,
  type SettingName,
  type SettingRecord,
  type Settings,
  type SettingValue,
} from './records.ts'
import { sourceText, type Sources } from './source.ts'
import { expectedText } from './value.ts'

type DescribedValue =
  | string
  | number
  | boolean
  | readonly string[]
  | readonly number[]
  | Readonly<Record<string, string>>
  | null

export interface SettingDescription {
  readonly name: SettingName
  /** JSON value; a secret is `[secret]`, null means not set. */
  readonly value: DescribedValue
  readonly default: DescribedValue
  /** As people read it: `default`, `sluice.yaml: server.port`, `SLUICE_SERVER_PORT`, `--set`, `admin page`. */
  readonly source: string
  readonly class: SettingRecord['class']
  /** False also for a live setting that a file, the environment or the command line fixes. */
  readonly editable: boolean
  readonly type: SettingRecord['type']
  readonly unit: string | null
  readonly sentence: string
  /** What it takes, in words. */
  readonly expected: string
  readonly variable: string
}

/** Every setting, in the order of the table. */
export function describeSettings(settings: Settings, sources: Sources): readonly SettingDescription[] {
  return settingNames.map((name) => {
    const record = recordOf(name)
    const source = sources[name]
    return {
      name,
      value: printableValue(record, settings[name]),
      default: record.default,
      source: sourceText(source),
      class: record.class,
      editable: record.class === 'live' && (source.kind === 'default' || source.kind === 'stored'),
      type: record.type,
      unit: 'unit' in record ? (record.unit ?? null) : null,
      sentence: record.sentence,
      expected: expectedText(record),
      variable: variableOf(name),
    }
  })
}

function printableValue(record: SettingRecord, value: SettingValue): SettingDescription['value'] {
  if (!(value instanceof Secret)) return value
  return record.type === 'secret' && record.shownAs === 'url' ? maskUrlPassword(value.reveal()) : '[secret]'
}
