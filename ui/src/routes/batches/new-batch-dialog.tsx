/** Begins a batch from a file of requests, or of prompts for one model. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { ownModelsQuery, resource } from '../../api/queries.ts'
import type { BodyOf } from '../../api/client.ts'
import { Field } from '../../components/field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { Input, Select } from '../../components/input.tsx'
import { NumberField } from '../../components/text-field.tsx'
import { toast } from '../../components/toast.tsx'
import { chatRequests } from './chat-requests.ts'
import { uploadBatchFile, type Batch } from './queries.ts'

type Endpoint = BodyOf<'POST /ai/v1/batches'>['endpoint']

const chat: Endpoint = '/v1/chat/completions'
const endpoints: readonly Endpoint[] = [
  chat,
  '/v1/completions',
  '/v1/embeddings',
  '/v1/responses',
  '/v1/messages',
  '/v1/rerank',
  '/v1/moderations',
]
const contents = { requests: 'A request in each line', prompts: 'A prompt in each line' } as const
type Content = keyof typeof contents

export interface NewBatchDialogProps {
  readonly onClose: () => void
  readonly onBegun: (batch: Batch) => void
}

export function NewBatchDialog({ onClose, onBegun }: NewBatchDialogProps) {
  const queryClient = useQueryClient()
  const [file, setFile] = useState<File | null>(null)
  const [content, setContent] = useState<Content>('requests')
  const [endpoint, setEndpoint] = useState<Endpoint>(chat)
  const [model, setModel] = useState('')
  const [hours, setHours] = useState('24')
  async function begin(): Promise<void> {
    if (file === null) return
    const isPrompts = content === 'prompts'
    const sent = isPrompts ? new Blob(chatRequests(await file.text(), model)) : file
    const { id } = await uploadBatchFile(sent, file.name)
    const batch = await api('POST /ai/v1/batches', {
      body: {
        input_file_id: id,
        endpoint: isPrompts ? chat : endpoint,
        completion_window: `${hours}h`,
        metadata: { name: file.name.slice(0, 512) },
      },
    })
    await Promise.all([resource.batches, resource.files].map((queryKey) => queryClient.invalidateQueries({ queryKey })))
    toast('The batch has begun')
    onBegun(batch)
  }
  return (
    <FormDialog
      title="New batch"
      description="Its requests run when there is room beside live ones."
      submitLabel="Begin"
      disabled={file === null || (content === 'prompts' && model === '')}
      onClose={onClose}
      onSubmit={begin}
    >
      <Field label="File" param="input_file_id" hint="Text with one request or prompt in each line.">
        <Input
          type="file"
          accept=".jsonl,.txt,.ndjson,application/jsonl,text/plain"
          required
          onChange={(event) => setFile(event.target.files?.[0] ?? null)}
        />
      </Field>
      <ContentField content={content} onChange={setContent} />
      {content === 'prompts' ? (
        <ModelField model={model} onChange={setModel} />
      ) : (
        <EndpointField endpoint={endpoint} onChange={setEndpoint} />
      )}
      <NumberField
        label="Window in hours"
        param="completion_window"
        required
        min={1}
        max={720}
        value={hours}
        hint="Lines without a result by then expire."
        onChange={setHours}
      />
    </FormDialog>
  )
}

interface ContentFieldProps {
  readonly content: Content
  readonly onChange: (content: Content) => void
}

function ContentField({ content, onChange }: ContentFieldProps) {
  return (
    <Field label="The file has">
      <Select value={content} onChange={(event) => onChange(event.target.value === 'prompts' ? 'prompts' : 'requests')}>
        {Object.entries(contents).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </Select>
    </Field>
  )
}

interface EndpointFieldProps {
  readonly endpoint: Endpoint
  readonly onChange: (endpoint: Endpoint) => void
}

function EndpointField({ endpoint, onChange }: EndpointFieldProps) {
  return (
    <Field label="Endpoint" param="endpoint" hint="All requests of a batch have the same; each names its own model.">
      <Select
        value={endpoint}
        onChange={(event) => onChange(endpoints.find((each) => each === event.target.value) ?? chat)}
      >
        {endpoints.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </Select>
    </Field>
  )
}

function ModelField({ model, onChange }: { readonly model: string; readonly onChange: (name: string) => void }) {
  const { data = [] } = useQuery(ownModelsQuery)
  return (
    <Field label="Model" hint="Each prompt becomes a chat with it.">
      <Select value={model} onChange={(event) => onChange(event.target.value)}>
        <option value="">Choose a model</option>
        {data.map(({ name }) => (
          <option key={name}>{name}</option>
        ))}
      </Select>
    </Field>
  )
}
