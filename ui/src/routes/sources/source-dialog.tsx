/** Adds a source, or changes one. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { resource } from '../../api/queries.ts'
import type { Source, User } from '../../api/schema.d.ts'
import { Field } from '../../components/field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { Select } from '../../components/input.tsx'
import { NumberField, TextField } from '../../components/text-field.tsx'
import { toast } from '../../components/toast.tsx'
import { UserPicker } from '../users/user-picker.tsx'
import { kindNames } from './source-table.tsx'

type Kind = Source['kind']

export interface SourceDialogProps {
  /** The source to change; null adds one. */
  readonly source: Source | null
  readonly onClose: () => void
}

const kinds = Object.keys(kindNames) as readonly Kind[]

const addressHints: Readonly<Record<Kind, string>> = {
  s3: 'Endpoint, bucket and prefix: https://s3.example.org/bucket/prefix/',
  webdav: 'A folder: https://files.example.org/dav/handbooks/',
  git: 'A repository as git clone takes it: https://git.example.org/handbooks/docs.git',
  sitemap: 'A sitemap, or a single page: https://example.org/sitemap.xml',
}

const credentialHints: Readonly<Record<Kind, string>> = {
  s3: 'access key id:secret',
  webdav: 'user:password',
  git: 'user:token',
  sitemap: '',
}

/** The fields as they are typed. */
interface Draft {
  readonly name: string
  readonly kind: Kind
  readonly url: string
  readonly credential: string
  readonly category: string
  readonly owners: string
  readonly everyMinutes: string
  readonly region: string
  readonly branch: string
  readonly path: string
  readonly ignore: string
}

const empty: Draft = {
  name: '',
  kind: 'webdav',
  url: '',
  credential: '',
  category: 'default',
  owners: '',
  everyMinutes: '60',
  region: '',
  branch: '',
  path: '',
  ignore: '',
}

function draftOf({ name, kind, url, category, owners, every_minutes: everyMinutes, ...more }: Source): Draft {
  const { region, branch, path, ignore } = more
  return {
    ...empty,
    name,
    kind,
    url,
    category,
    owners: owners?.join(', ') ?? '',
    everyMinutes: String(everyMinutes),
    region: region ?? '',
    branch: branch ?? '',
    path: path ?? '',
    ignore: ignore.join(', '),
  }
}

function wordsIn(text: string): readonly string[] {
  return text.split(',').flatMap((word) => (word.trim() === '' ? [] : [word.trim()]))
}

function textOrNull(text: string): string | null {
  return text.trim() === '' ? null : text.trim()
}

function fieldsOf(draft: Draft) {
  const owners = wordsIn(draft.owners)
  const credential = textOrNull(draft.credential)
  return {
    url: draft.url.trim(),
    category: draft.category.trim(),
    owners: owners.length === 0 ? null : owners,
    every_minutes: Number(draft.everyMinutes),
    region: textOrNull(draft.region),
    branch: textOrNull(draft.branch),
    path: textOrNull(draft.path),
    ignore: wordsIn(draft.ignore),
    ...(credential !== null && { credential }),
  }
}

export function SourceDialog({ source, onClose }: SourceDialogProps) {
  const queryClient = useQueryClient()
  const [draft, setDraft] = useState(() => (source === null ? empty : draftOf(source)))
  const [user, setUser] = useState<User | null>(null)
  const set = (change: Partial<Draft>): void => setDraft((before) => ({ ...before, ...change }))
  async function save(): Promise<void> {
    const fields = fieldsOf(draft)
    if (source !== null)
      await api('PATCH /admin/api/v1/sources/{id}', { params: { id: source.id }, body: fields, of: source })
    else if (user !== null) {
      const body = { ...fields, name: draft.name.trim(), kind: draft.kind, user_id: user.id }
      await api('POST /admin/api/v1/sources', { body })
    }
    await queryClient.invalidateQueries({ queryKey: resource.sources })
    toast(source === null ? 'Added the source. Its first run begins' : 'Saved the source')
    onClose()
  }
  return (
    <FormDialog
      title={source === null ? 'Add a source' : `Edit ${source.name}`}
      submitLabel={source === null ? 'Add' : 'Save'}
      disabled={source === null && user === null}
      onClose={onClose}
      onSubmit={save}
    >
      {source === null && (
        <>
          <TextField label="Name" param="name" required value={draft.name} onChange={(name) => set({ name })} />
          <Field label="Kind" param="kind">
            <Select
              value={draft.kind}
              onChange={({ target }) => set({ kind: kinds.find((each) => each === target.value) ?? draft.kind })}
            >
              {kinds.map((kind) => (
                <option key={kind} value={kind}>
                  {kindNames[kind]}
                </option>
              ))}
            </Select>
          </Field>
          <Field label="User" param="user_id" hint="The documents belong to this user; runs have this user's rights.">
            <UserPicker label="User" value={user} onChange={setUser} />
          </Field>
        </>
      )}
      <PlaceFields draft={draft} hasCredential={source?.has_credential ?? false} onChange={set} />
      <TextField
        label="Category"
        param="category"
        required
        value={draft.category}
        onChange={(category) => set({ category })}
      />
      <TextField
        label="Owners (optional)"
        param="owners"
        value={draft.owners}
        hint="E-mail addresses, group:NAME or everyone, separated by commas; the user alone when empty."
        onChange={(owners) => set({ owners })}
      />
      <NumberField
        label="Minutes between runs"
        param="every_minutes"
        required
        min={1}
        value={draft.everyMinutes}
        onChange={(everyMinutes) => set({ everyMinutes })}
      />
      <TextField
        label="Leave out (optional)"
        param="ignore"
        value={draft.ignore}
        hint="Patterns of files, separated by commas: *.tmp, drafts/**"
        onChange={(ignore) => set({ ignore })}
      />
    </FormDialog>
  )
}

interface PlaceFieldsProps {
  readonly draft: Draft
  readonly hasCredential: boolean
  readonly onChange: (change: Partial<Draft>) => void
}

/** Where it is, and what its kind needs besides. */
function PlaceFields({ draft, hasCredential, onChange }: PlaceFieldsProps) {
  const { kind, url, credential, region, branch, path } = draft
  const keeps = hasCredential ? ' The present one stays when this is empty and the server stays the same.' : ''
  return (
    <>
      <TextField
        label="Address"
        param="url"
        type="url"
        required
        value={url}
        hint={addressHints[kind]}
        onChange={(next) => onChange({ url: next })}
      />
      {kind !== 'sitemap' && (
        <TextField
          label="Credential (optional)"
          param="credential"
          type="password"
          autoComplete="new-password"
          value={credential}
          hint={`${credentialHints[kind]}.${keeps}`}
          onChange={(next) => onChange({ credential: next })}
        />
      )}
      {kind === 's3' && (
        <TextField
          label="Region (optional)"
          param="region"
          value={region}
          hint="us-east-1 when empty."
          onChange={(next) => onChange({ region: next })}
        />
      )}
      {kind === 'git' && (
        <>
          <TextField
            label="Branch (optional)"
            param="branch"
            value={branch}
            hint="The default branch when empty."
            onChange={(next) => onChange({ branch: next })}
          />
          <TextField
            label="Folder (optional)"
            param="path"
            value={path}
            hint="Only files below it."
            onChange={(next) => onChange({ path: next })}
          />
        </>
      )}
    </>
  )
}
