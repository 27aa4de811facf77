/** Settings of chats that a person keeps under a name in this browser: models, system prompt, parameters, tools, format. */
import { standardSettings, type ChatSettings } from './chat-settings-values.ts'
import { keptIds, newId, prefixOf, type Place } from './kept-place.ts'
import { isRecord, settingsOf, textOf } from './kept-settings.ts'

export interface Preset {
  readonly id: string
  readonly name: string
  readonly settings: ChatSettings
}

export const presetsMax = 200
const nameMax = 200

/** All presets of a user by name. What cannot be read is left out. */
export function allPresets(place: Place, userId: string): readonly Preset[] {
  return keptIds(place, 'preset', userId)
    .flatMap((id) => readPreset(place, userId, id) ?? [])
    .sort((a, b) => a.name.localeCompare(b.name))
}

function readPreset(place: Place, userId: string, id: string): Preset | null {
  try {
    return presetOf(JSON.parse(place.getItem(prefixOf('preset', userId) + id) ?? 'null'), id)
  } catch {
    return null
  }
}

/** Keeps settings under a name; those of the same name are replaced. False when there is no room. */
export function savePreset(
  place: Place,
  userId: string,
  { name, settings }: Pick<Preset, 'name' | 'settings'>,
): boolean {
  const all = allPresets(place, userId)
  const known = all.find((each) => each.name === name.trim())
  if (known === undefined && all.length >= presetsMax) return false
  return writePreset(place, userId, { id: known?.id ?? newId(), name: name.trim(), settings })
}

/** Gives a preset another name. */
export function renamePreset(place: Place, userId: string, preset: Preset, name: string): void {
  if (name.trim() !== '') writePreset(place, userId, { ...preset, name: name.trim() })
}

export function deletePreset(place: Place, userId: string, id: string): void {
  place.removeItem(prefixOf('preset', userId) + id)
}

/** Presets as a file that `importPresets` reads. */
export function exportPresets(presets: readonly Preset[]): string {
  return JSON.stringify({ format: 'sluice.presets', version: 1, presets }, null, 2)
}

/** Adds the presets of a file; those of the same name are replaced. Returns how many; null when the file holds none. */
export function importPresets(place: Place, userId: string, text: string): number | null {
  let file: unknown
  try {
    file = JSON.parse(text)
  } catch {
    return null
  }
  const all = isRecord(file) && Array.isArray(file['presets']) ? file['presets'].slice(0, presetsMax) : []
  const saved = all.filter((each: unknown) => {
    const preset = presetOf(each, '')
    return preset !== null && savePreset(place, userId, preset)
  })
  return saved.length === 0 ? null : saved.length
}

function writePreset(place: Place, userId: string, { id, name, settings }: Preset): boolean {
  try {
    place.setItem(prefixOf('preset', userId) + id, JSON.stringify({ name, settings }))
    return true
  } catch {
    // Unlike old conversations, no preset goes to make room.
    return false
  }
}

function presetOf(value: unknown, id: string): Preset | null {
  if (!isRecord(value)) return null
  const name = textOf(value['name']).trim().slice(0, nameMax)
  if (name === '' || !isRecord(value['settings'])) return null
  return { id, name, settings: { ...standardSettings, ...settingsOf(value['settings']) } }
}
