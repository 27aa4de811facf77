/** Advanced fields: kind, headers, timeouts, options. */
import { useQuery } from '@tanstack/react-query'
import { Button } from '../../components/button.tsx'
import { Field, FieldGroup } from '../../components/field.tsx'
import { Icon } from '../../components/icon.tsx'
import { Input, Select, Textarea } from '../../components/input.tsx'
import { NumberField } from '../../components/text-field.tsx'
import {
  headerDraft,
  timeoutNames,
  type HeaderDraft,
  type ProviderFieldsProps,
  type ProviderKindName,
  type ServersDraft,
} from './provider-draft.ts'
import styles from './provider-fields.module.css'
import { kindsQuery } from './queries.ts'

const timeoutLabels = {
  connect_seconds: 'Connection',
  first_token_seconds: 'First token',
  idle_seconds: 'Between tokens',
  total_seconds: 'Total',
} as const

export function AdvancedFields({ draft, onChange, before, preset }: ProviderFieldsProps) {
  const { data: kinds = [] } = useQuery(kindsQuery)
  const kind = kinds.find((each) => each.kind === draft.kind)
  return (
    // Without a preset, the administrator has to choose the kind.
    <details className={styles.advanced} open={before === null && preset === null ? true : undefined}>
      <summary>
        Advanced <span>kind, headers, timeouts, servers, options</span>
      </summary>
      <div className={styles.inner}>
        <Field label="Kind" {...(kind && { hint: kind.description })}>
          <Select
            value={draft.kind}
            onChange={(event) => onChange({ ...draft, kind: event.target.value as ProviderKindName })}
          >
            {kinds.map((each) => (
              <option key={each.kind}>{each.kind}</option>
            ))}
          </Select>
        </Field>
        <HeaderFields headers={draft.headers} onChange={(headers) => onChange({ ...draft, headers })} />
        <FieldGroup label="Timeouts in seconds" hint="Empty: the default of the settings.">
          <div className={styles.timeouts}>
            {timeoutNames.map((name) => (
              <NumberField
                key={name}
                label={timeoutLabels[name]}
                min={0.05}
                max={86_400}
                step="any"
                value={draft.timeouts[name]}
                onChange={(seconds) => onChange({ ...draft, timeouts: { ...draft.timeouts, [name]: seconds } })}
              />
            ))}
          </div>
        </FieldGroup>
        {kind?.needs_base_url === true && (
          <ServerFields servers={draft.servers} onChange={(servers) => onChange({ ...draft, servers })} />
        )}
        <Field label="Options" hint="A JSON object with options of this kind, such as a region.">
          <Textarea
            className={styles.code ?? ''}
            rows={2}
            spellCheck={false}
            placeholder='{"region": "eu-central-1"}'
            value={draft.options}
            onChange={(event) => onChange({ ...draft, options: event.target.value })}
          />
        </Field>
      </div>
    </details>
  )
}

interface ServerFieldsProps {
  readonly servers: ServersDraft
  readonly onChange: (servers: ServersDraft) => void
}

/** A cluster of servers with the same models. */
function ServerFields({ servers, onChange }: ServerFieldsProps) {
  const isSeveral = servers.urls.trim() !== '' || servers.dns !== ''
  return (
    <>
      <Field label="Further servers" hint="Addresses of servers with the same models, one a line.">
        <Textarea
          className={styles.code ?? ''}
          rows={2}
          spellCheck={false}
          placeholder="http://10.0.0.2:8000/v1"
          value={servers.urls}
          onChange={(event) => onChange({ ...servers, urls: event.target.value })}
        />
      </Field>
      <div className={styles.timeouts}>
        <Field label="Name of the host">
          <Select
            value={servers.dns}
            onChange={(event) => onChange({ ...servers, dns: event.target.value as ServersDraft['dns'] })}
          >
            <option value="">is one server</option>
            <option value="a">is a server at each IP address</option>
            <option value="srv">is a server at each SRV record</option>
          </Select>
        </Field>
        {isSeveral && (
          <Field label="Choice of the server">
            <Select
              value={servers.strategy}
              onChange={(event) => onChange({ ...servers, strategy: event.target.value as ServersDraft['strategy'] })}
            >
              <option value="affinity">knows the beginning</option>
              <option value="weighted">least busy</option>
              <option value="latency">fastest</option>
            </Select>
          </Field>
        )}
      </div>
    </>
  )
}

interface HeaderFieldsProps {
  readonly headers: readonly HeaderDraft[]
  readonly onChange: (headers: readonly HeaderDraft[]) => void
}

function HeaderFields({ headers, onChange }: HeaderFieldsProps) {
  const set = (id: number, change: Partial<HeaderDraft>): void =>
    onChange(headers.map((header) => (header.id === id ? { ...header, ...change } : header)))
  return (
    <FieldGroup label="Headers" hint="Sent with every request. Stored values are not shown.">
      {headers.map(({ id, name, value, stored }, index) => (
        <div key={id} className={styles.header}>
          <Input
            aria-label={`Name of header ${index + 1}`}
            placeholder="X-Team"
            autoComplete="off"
            disabled={stored}
            value={name}
            onChange={(event) => set(id, { name: event.target.value })}
          />
          <Input
            aria-label={`Value of header ${index + 1}`}
            placeholder={stored ? 'unchanged' : 'value'}
            autoComplete="off"
            required={!stored && name.trim() !== ''}
            value={value}
            onChange={(event) => set(id, { value: event.target.value })}
          />
          <Button
            variant="quiet"
            icon
            aria-label={`Remove header ${name === '' ? index + 1 : name}`}
            onClick={() => onChange(headers.filter((header) => header.id !== id))}
          >
            <Icon name="trash" />
          </Button>
        </div>
      ))}
      <Button className={styles.add ?? ''} onClick={() => onChange([...headers, headerDraft()])}>
        <Icon name="plus" />
        Add header
      </Button>
    </FieldGroup>
  )
}
