/** Tests an issuer of OpenID Connect with the configured values or with others, before a person signs in with them. */
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { resource } from '../../api/queries.ts'
import type { IssuerTestResult, Setting } from '../../api/schema.d.ts'
import { Button } from '../../components/button.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { Notice } from '../../components/notice.tsx'
import { TextField } from '../../components/text-field.tsx'
import styles from './settings-page.module.css'

export function TestIssuer({ settings }: { readonly settings: readonly Setting[] }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setOpen(true)}>Test…</Button>
      {isOpen && <TestIssuerDialog settings={settings} onClose={() => setOpen(false)} />}
    </>
  )
}

/** Those of the running server, which a person can sign in at. */
const issuersQuery = queryOptions({
  queryKey: [...resource.settings, 'issuers'],
  queryFn: async ({ signal }) => (await api('GET /admin/api/v1/session/options', { signal })).issuers,
})

const tones = { ok: 'success', warning: 'warning', failed: 'danger' } as const

interface TestIssuerDialogProps {
  readonly settings: readonly Setting[]
  readonly onClose: () => void
}

function TestIssuerDialog({ settings, onClose }: TestIssuerDialogProps) {
  const valueOf = (name: string): string => {
    const value = settings.find((setting) => setting.name === name)?.value
    return typeof value === 'string' ? value : ''
  }
  const [issuer, setIssuer] = useState(() => valueOf('auth.oidc.issuer'))
  const [clientId, setClientId] = useState(() => valueOf('auth.oidc.client_id'))
  const [secret, setSecret] = useState('')
  const { data: issuers = [] } = useQuery(issuersQuery)
  const [checks, setChecks] = useState<IssuerTestResult['checks'] | null>(null)
  async function test(): Promise<void> {
    setChecks(null)
    const body = { issuer, client_id: clientId, ...(secret !== '' && { client_secret: secret }) }
    setChecks((await api('POST /admin/api/v1/oidc/test', { body })).checks)
  }
  return (
    <FormDialog
      onClose={onClose}
      title="Test single sign-on"
      description="Asks the issuer as a sign-in would, up to the point where a person is needed, or with one. Nothing is saved."
      submitLabel="Test"
      cancelLabel="Done"
      onSubmit={test}
    >
      <TextField label="Issuer" param="issuer" type="url" required value={issuer} onChange={setIssuer} />
      <TextField label="Client id" param="client_id" required value={clientId} onChange={setClientId} />
      <TextField
        label="Client secret"
        param="client_secret"
        type="password"
        autoComplete="new-password"
        hint="Empty: the configured one, for the configured issuer and client id."
        value={secret}
        onChange={setSecret}
      />
      {issuers.length > 0 && (
        <p>
          As saved, with a person:{' '}
          {issuers.map(({ label, url }) => (
            <a key={url} href={`${url}?test=true`}>
              {label}
            </a>
          ))}
          . Nobody is signed in; you see what the issuer sends and what a sign-in would do.
        </p>
      )}
      {checks !== null && (
        <div role="status">
          <ul className={styles.checks} aria-label="Results">
            {checks.map(({ name, outcome, message }) => (
              <li key={name}>
                <Notice tone={tones[outcome]}>{message}</Notice>
              </li>
            ))}
          </ul>
        </div>
      )}
    </FormDialog>
  )
}
