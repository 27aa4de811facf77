/** The presets that this browser keeps: save the settings under a name, take them again, rename, delete, and all as a file. */
import { useState } from 'react'
import { Dialog } from '../../../components/dialog.tsx'
import { countText } from '../../../components/format.ts'
import { useSession } from '../../../shell/use-session.ts'
import type { ChatSettings } from './chat-settings-values.ts'
import { KeptFiles, KeptList, NameForm } from './kept-list.tsx'
import {
  allPresets,
  deletePreset,
  exportPresets,
  importPresets,
  presetsMax,
  renamePreset,
  savePreset,
  type Preset,
} from './presets.ts'

export interface PresetListProps {
  readonly settings: ChatSettings
  readonly onChoose: (settings: ChatSettings) => void
  readonly onClose: () => void
}

export function PresetList({ settings, onChoose, onClose }: PresetListProps) {
  const { id: userId } = useSession().user
  const [all, setAll] = useState(() => allPresets(localStorage, userId))
  const [note, setNote] = useState('')
  const read = (said: string): void => {
    setNote(said)
    setAll(allPresets(localStorage, userId))
  }

  function save(name: string | null): void {
    if (name === null || name.trim() === '') return
    const saved = savePreset(localStorage, userId, { name, settings })
    read(saved ? `Saved as “${name.trim()}”.` : `There is no room for more. At most ${presetsMax} are kept.`)
  }

  return (
    <Dialog
      open
      onClose={onClose}
      placement="side"
      title="Presets"
      description="Models, system prompt, parameters, tools and format under a name. This browser keeps them; they are not on the server."
      actions={
        <KeptFiles
          of="presets"
          text={all.length === 0 ? null : () => exportPresets(all)}
          onAdd={(text, file) => {
            const count = importPresets(localStorage, userId, text)
            read(count === null ? `“${file}” holds no presets.` : `Added ${countText(count, 'preset')}.`)
          }}
        />
      }
    >
      <NameForm key={all.length} name="" label="Name of the settings now" staysOpen onEnd={save} />
      <p role="status">{note || (all.length === 0 ? 'No presets yet.' : '')}</p>
      <KeptList
        label="Presets"
        items={all.map((preset) => ({
          id: preset.id,
          title: preset.name,
          about: aboutOf(preset),
          isCurrent: JSON.stringify(preset.settings) === JSON.stringify(settings),
        }))}
        onOpen={(id) => {
          const chosen = all.find((each) => each.id === id)
          if (chosen !== undefined) onChoose(chosen.settings)
          onClose()
        }}
        onRename={(id, name) => {
          const renamed = all.find((each) => each.id === id)
          if (renamed !== undefined) renamePreset(localStorage, userId, renamed, name)
          read('')
        }}
        onDelete={(id) => {
          deletePreset(localStorage, userId, id)
          read('')
        }}
      />
    </Dialog>
  )
}

function aboutOf({ settings: { model, others, tools, format } }: Preset): string {
  return [
    [model, ...others].filter(Boolean).join(', '),
    ...(tools.length === 0 ? [] : [countText(tools.length, 'tool')]),
    ...(format === 'text' ? [] : ['JSON']),
  ].join(' · ')
}
