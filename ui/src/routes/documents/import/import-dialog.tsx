/** The import dialog: files, category, owners and processing options. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { asApiError } from '../../../api/api-error.ts'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { Field } from '../../../components/field.tsx'
import { FormDialog } from '../../../components/form-dialog.tsx'
import { byteText, countText } from '../../../components/format.ts'
import { Input, Select } from '../../../components/input.tsx'
import { useSession } from '../../../shell/use-session.ts'
import type { NamedFile } from './named-file.ts'
import { FileChoosers } from './file-choosers.tsx'
import styles from './import-dialog.module.css'
import { ProcessingFields } from './processing-fields.tsx'
import { formFieldsOf, type ImportOptions } from './import-options.ts'
import { documentOptionsQuery } from '../queries.ts'
import type { ImportFields } from '../upload/upload-queue.ts'

export interface ImportDialogProps {
  readonly files: readonly NamedFile[]
  readonly onFiles: (files: readonly NamedFile[]) => void
  readonly importOptions: ImportOptions
  readonly onOptions: (importOptions: ImportOptions) => void
  readonly onClose: () => void
  readonly onImport: (fields: ImportFields) => void
}

export function ImportDialog({ files, onFiles, importOptions, onOptions, onClose, onImport }: ImportDialogProps) {
  const options = useQuery(documentOptionsQuery)
  const [isChosen, setIsChosen] = useState(true)
  const change = (next: Partial<ImportOptions>): void => onOptions({ ...importOptions, ...next })
  async function submit(): Promise<void> {
    setIsChosen(files.length > 0)
    if (files.length > 0) onImport(formFieldsOf(importOptions))
  }
  return (
    <FormDialog
      onClose={onClose}
      title="Import documents"
      submitLabel={files.length === 0 ? 'Import' : `Import ${countText(files.length, 'file')}`}
      onSubmit={submit}
    >
      <div className={styles.drop}>
        <ChosenFiles files={files} />
        <FileChoosers onFiles={onFiles} />
        {!isChosen && files.length === 0 && (
          <p role="alert" className={styles.missing}>
            Choose files or a folder first.
          </p>
        )}
      </div>
      {options.error !== null && (
        <ErrorNotice error={asApiError(options.error)} onRetry={() => void options.refetch()} />
      )}
      <CategoryField
        known={options.data?.categories ?? null}
        value={importOptions.category}
        onChange={(category) => change({ category })}
      />
      <AudienceFields importOptions={importOptions} onChange={change} />
      {options.data !== undefined && (
        <ProcessingFields options={options.data} importOptions={importOptions} onChange={change} />
      )}
    </FormDialog>
  )
}

const namesShownMax = 4

function ChosenFiles({ files }: { readonly files: readonly NamedFile[] }) {
  if (files.length === 0) return <p className={styles.hint}>Drop files or a folder here, or choose them.</p>
  const bytes = files.reduce((sum, { file }) => sum + file.size, 0)
  const hidden = files.length - namesShownMax
  return (
    <div className={styles.chosen}>
      <ul className={styles.names}>
        {files.slice(0, namesShownMax).map(({ name }, index) => (
          <li key={index}>{name}</li>
        ))}
      </ul>
      <p className={styles.hint}>
        {hidden > 0 && `and ${hidden.toLocaleString('en')} more, `}
        {byteText(bytes)} in total
      </p>
    </div>
  )
}

interface CategoryFieldProps {
  /** The allowed categories; null = any. */
  readonly known: readonly string[] | null
  readonly value: string
  readonly onChange: (value: string) => void
}

function CategoryField({ known, value, onChange }: CategoryFieldProps) {
  const hint = 'Searches and chats can be limited to a category.'
  if (known === null) {
    return (
      <Field label="Category" hint={hint}>
        <Input value={value} required maxLength={255} onChange={(event) => onChange(event.target.value)} />
      </Field>
    )
  }
  return (
    <Field label="Category" hint={hint}>
      <Select value={known.includes(value) ? value : ''} required onChange={(event) => onChange(event.target.value)}>
        <option value="">Choose a category</option>
        {known.map((category) => (
          <option key={category}>{category}</option>
        ))}
      </Select>
    </Field>
  )
}

function AudienceFields({
  importOptions,
  onChange,
}: {
  readonly importOptions: ImportOptions
  readonly onChange: (next: Partial<ImportOptions>) => void
}) {
  const { groups } = useSession()
  return (
    <>
      <Field label="Visible to" hint="You and administrators can always see your imports.">
        <Select value={importOptions.audience} onChange={(event) => onChange({ audience: event.target.value })}>
          <option value="self">Only me</option>
          {groups
            .filter(({ name }) => name !== 'everyone')
            .map(({ id, name }) => (
              <option key={id} value={`group:${name}`}>
                The group {name}
              </option>
            ))}
          <option value="everyone">Everyone on this server</option>
          <option value="others">Others…</option>
        </Select>
      </Field>
      {importOptions.audience === 'others' && (
        <Field label="Users and groups" hint="E-mail addresses or group:name, separated by commas.">
          <Input
            value={importOptions.owners}
            required
            autoComplete="off"
            onChange={(event) => onChange({ owners: event.target.value })}
          />
        </Field>
      )}
    </>
  )
}
