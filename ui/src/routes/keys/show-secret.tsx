/** Shows the secret of a key, which is never shown again, and a first request with it. */
import { useQuery } from '@tanstack/react-query'
import { supportsChat } from '../../api/model-capabilities.ts'
import { ownModelsQuery } from '../../api/queries.ts'
import type { ApiKey } from '../../api/schema.d.ts'
import { Button } from '../../components/button.tsx'
import { CodeTabs } from '../../components/code-block.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Notice } from '../../components/notice.tsx'
import { codeSamples } from '../models/code-samples.ts'
import styles from './show-secret.module.css'

export interface ShowSecretProps {
  readonly apiKey: Pick<ApiKey, 'name' | 'scopes'>
  readonly secret: string
  readonly onClose: () => void
}

export function ShowSecret({ apiKey, secret, onClose }: ShowSecretProps) {
  return (
    <Dialog
      open
      persistent
      onClose={onClose}
      title={`The key “${apiKey.name}”`}
      actions={
        <Button variant="primary" onClick={onClose}>
          I have saved it
        </Button>
      }
    >
      <Notice tone="warning">Copy the key now. It cannot be shown again: the server stores only a hash of it.</Notice>
      <div className={styles.secret}>
        <code data-testid="secret">{secret}</code>
      </div>
      <CopyButton text={secret} what="API key" variant="secondary">
        Copy the key
      </CopyButton>
      <FirstRequest apiKey={apiKey} secret={secret} />
    </Dialog>
  )
}

/** A request that works when it is pasted: the key is in it. */
function FirstRequest({ apiKey: { scopes }, secret }: Omit<ShowSecretProps, 'onClose'>) {
  const models = useQuery(ownModelsQuery).data ?? []
  const usable = models.filter(({ name }) => scopes.models === null || scopes.models.includes(name))
  const model = usable.find(supportsChat) ?? usable[0]
  if (model === undefined || scopes.areas?.includes('inference') === false) return null
  return (
    <div className={styles.request}>
      <h3>A first request with it</h3>
      <CodeTabs label="First request" samples={codeSamples(model, window.location.origin, secret)} />
    </div>
  )
}
