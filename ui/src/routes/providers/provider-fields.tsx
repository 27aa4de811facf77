/** The fields of a provider. */
import { useQuery } from '@tanstack/react-query'
import { Checkbox } from '../../components/input.tsx'
import { TextField } from '../../components/text-field.tsx'
import { AdvancedFields } from './advanced-fields.tsx'
import type { ProviderFieldsProps } from './provider-draft.ts'
import { kindsQuery } from './queries.ts'

export function ProviderFields(props: ProviderFieldsProps) {
  const { draft, onChange } = props
  const { data: kinds } = useQuery(kindsQuery)
  const kind = kinds?.find((each) => each.kind === draft.kind)
  return (
    <>
      <TextField
        label="Name"
        hint="Shown as the owner of its models."
        param="name"
        required
        maxLength={200}
        value={draft.name}
        onChange={(name) => onChange({ ...draft, name })}
      />
      <TextField
        type="url"
        label={kind?.needs_base_url === false ? 'Base URL (optional)' : 'Base URL'}
        hint="Includes the version, such as /v1."
        param="base_url"
        required={kind?.needs_base_url !== false}
        maxLength={2000}
        placeholder="https://api.example.com/v1"
        value={draft.baseUrl}
        onChange={(baseUrl) => onChange({ ...draft, baseUrl })}
      />
      <CredentialField {...props} />
      <AdvancedFields {...props} />
    </>
  )
}

function CredentialField({ draft, onChange, before, preset }: ProviderFieldsProps) {
  const stored = before?.has_credential === true
  const needed = preset?.place === 'vendor'
  return (
    <>
      <TextField
        type="password"
        label={needed ? 'API key' : 'API key (optional)'}
        hint={
          stored
            ? 'A key is stored; it is never shown. Type another key to replace it.'
            : 'Sent with every request to the provider. It is not shown again.'
        }
        param="credential"
        required={needed}
        disabled={draft.removeCredential}
        maxLength={10_000}
        autoComplete="new-password"
        placeholder={stored ? '••••••••' : undefined}
        value={draft.credential}
        onChange={(credential) => onChange({ ...draft, credential })}
      />
      {stored && (
        <Checkbox
          label="Remove the stored API key"
          checked={draft.removeCredential}
          onChange={(event) => onChange({ ...draft, removeCredential: event.target.checked })}
        />
      )}
    </>
  )
}
