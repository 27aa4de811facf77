/** The metadata of a document: shown, and changed by a form of names and values. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { resource } from '../../api/queries.ts'
import type { Document } from '../../api/schema.d.ts'
import { Button } from '../../components/button.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { Icon } from '../../components/icon.tsx'
import { Input } from '../../components/input.tsx'
import { Panel } from '../../components/panel.tsx'
import { toast } from '../../components/toast.tsx'
import { updateDocuments } from '../documents/queries.ts'
import { shownValue } from '../documents/metadata-filter.tsx'
import { patchOf, rowsOf, type MetadataRow } from './metadata-rows.ts'
import styles from './metadata-panel.module.css'

export function MetadataPanel({ document }: { readonly document: Document }) {
  const [editing, setEditing] = useState(false)
  const entries = Object.entries(document.metadata as Readonly<Record<string, unknown>>)
  return (
    <Panel
      title="Metadata"
      actions={
        <Button variant="quiet" onClick={() => setEditing(true)}>
          Edit metadata
        </Button>
      }
    >
      {entries.length === 0 && <p className={styles.none}>None. Searches and lists can filter by what you add here.</p>}
      <Facts>
        {entries.map(([name, value]) => (
          <Fact key={name} name={name}>
            {shownValue(value)}
          </Fact>
        ))}
      </Facts>
      {editing && <EditMetadata document={document} onClose={() => setEditing(false)} />}
    </Panel>
  )
}

function EditMetadata({ document, onClose }: { readonly document: Document; readonly onClose: () => void }) {
  const queryClient = useQueryClient()
  const { doc_id: id } = document
  const before = document.metadata as Readonly<Record<string, unknown>>
  const [rows, setRows] = useState<readonly MetadataRow[]>(() => [...rowsOf(before), { name: '', text: '' }])
  const set = (index: number, fields: Partial<MetadataRow>): void =>
    setRows((all) => all.map((row, at) => (at === index ? { ...row, ...fields } : row)))
  async function save(): Promise<void> {
    const body = { metadata: patchOf(before, rows) }
    const changed = await api('PATCH /api/v1/document/{doc_id}', { params: { doc_id: id }, body })
    updateDocuments(queryClient, [changed])
    await queryClient.invalidateQueries({ queryKey: [...resource.documents, 'metadata'] })
    toast('Saved the metadata')
    onClose()
  }
  return (
    <FormDialog
      title="Metadata"
      description="Numbers, true, false, null and JSON are values of their own; a text in quotes stays a text."
      submitLabel="Save"
      onClose={onClose}
      onSubmit={save}
    >
      <ul className={styles.rows}>
        {rows.map((row, index) => (
          // Rows have no id; one is only added at the end.
          <li key={index} className={styles.row}>
            <Input
              aria-label={`Name ${index + 1}`}
              placeholder="Name"
              maxLength={128}
              value={row.name}
              onChange={(event) => set(index, { name: event.target.value })}
            />
            <Input
              aria-label={`Value ${index + 1}`}
              placeholder="Value"
              value={row.text}
              onChange={(event) => set(index, { text: event.target.value })}
            />
            <Button
              variant="quiet"
              icon
              aria-label={`Remove ${row.name || `row ${index + 1}`}`}
              onClick={() => setRows((all) => all.filter((_, at) => at !== index))}
            >
              <Icon name="trash" />
            </Button>
          </li>
        ))}
      </ul>
      <Button onClick={() => setRows((all) => [...all, { name: '', text: '' }])}>
        <Icon name="plus" />
        Add a value
      </Button>
    </FormDialog>
  )
}
