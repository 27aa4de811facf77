/** The fields of a provider; what few need is folded away. */
import { useQuery } from '@tanstack/react-query'
import { Field } from '../../components/field.tsx'
import { Checkbox, Input } from '../../components/input.tsx'
import { AdvancedFields } from './advanced-fields.tsx'
import type { ProviderFieldsProps } from './provider-draft.ts'
import { kindsQuery } from './queries.ts'

export function ProviderFields(props: ProviderFieldsProps) {
  const { draft, onChange } = props
  const { data: kinds } = useQuery(kindsQuery)
  const kind = kinds?.find((each) => each.kind === draft.kind)
  return (
    <>
      <Field label="Name" hint="Shown as the owner of its models." param="name">
        <Input
          required
          maxLength={200}
          autoComplete="off"
          value={draft.name}
          onChange={(event) => onChange({ ...draft, name: event.target.value })}
        />
      </Field>
      <Field
        label={kind?.needs_base_url === false ? 'Base URL (optional)' : 'Base URL'}
        hint="Up to /v1, or what the server has in its place."
        param="base_url"
      >
        <Input
          type="url"
          required={kind?.needs_base_url !== false}
          maxLength={2000}
          autoComplete="off"
          placeholder="https://api.example.com/v1"
          value={draft.baseUrl}
          onChange={(event) => onChange({ ...draft, baseUrl: event.target.value })}
        />
      </Field>
      <CredentialField {...props} />
      <AdvancedFields {...props} />
    </>
  )
}

function CredentialField({ draft, onChange, before, preset }: ProviderFieldsProps) {
  const kept = before?.has_credential === true
  const needed = preset?.place === 'vendor'
  return (
    <>
      <Field
        label={needed ? 'API key' : 'API key (optional)'}
        hint={
          kept
            ? 'One is kept, and never shown. Type another one to replace it.'
            : 'Sent with every request to the provider, and never shown again.'
        }
        param="credential"
      >
        <Input
          type="password"
          required={needed}
          disabled={draft.removeCredential}
          maxLength={10_000}
          autoComplete="new-password"
          placeholder={kept ? '••••••••' : undefined}
          value={draft.credential}
          onChange={(event) => onChange({ ...draft, credential: event.target.value })}
        />
      </Field>
      {kept && (
        <Checkbox
          label="Remove the API key that is kept"
          checked={draft.removeCredential}
          onChange={(event) => onChange({ ...draft, removeCredential: event.target.checked })}
        />
      )}
    </>
  )
}
