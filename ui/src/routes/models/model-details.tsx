/** The details of a model, with a first request in three languages. */
import { Link } from '@tanstack/react-router'
import { supportsChat } from '../../api/model-capabilities.ts'
import { Badge } from '../../components/badge.tsx'
import { buttonClass } from '../../components/button.tsx'
import { CodeTabs } from '../../components/code-block.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { CopiedFact, Fact, Facts } from '../../components/facts.tsx'
import { useIsAdmin, useSession } from '../../shell/use-session.ts'
import type { UsableModel } from '../../api/schema.d.ts'
import { codeSamples } from './code-samples.ts'
import styles from './model-details.module.css'
import { ModelFacts } from './model-facts.tsx'

export function ModelDetails({ model, onClose }: { readonly model: UsableModel; readonly onClose: () => void }) {
  const { groups } = useSession()
  const isAdmin = useIsAdmin()
  const openTo = groups.filter((group) => model.groups.includes(group.id))
  return (
    <Dialog
      open
      onClose={onClose}
      title={model.name}
      size="large"
      actions={
        <>
          {isAdmin && (
            <Link to="/models" search={{ reach: 'all', q: model.name }} className={buttonClass()}>
              Manage it
            </Link>
          )}
          {supportsChat(model) && (
            <Link to="/playground" search={{ model: model.name }} className={buttonClass('primary')}>
              Try it
            </Link>
          )}
        </>
      }
      {...(model.description !== '' && { description: model.description })}
    >
      <Facts>
        <Fact name="Names">
          <span className={styles.names}>
            {[model.name, ...model.aliases].map((name) => (
              <CopiedFact key={name} text={name} what={name === model.name ? `name ${name}` : `alias ${name}`} />
            ))}
          </span>
        </Fact>
        <Fact name="Provider">{model.provider}</Fact>
        <Fact name="Open to">
          <span className={styles.names}>
            {openTo.map((group) => (
              <Badge key={group.id}>{group.name}</Badge>
            ))}
          </span>
        </Fact>
        <Fact name="Capabilities">
          <ModelFacts model={model} />
        </Fact>
      </Facts>
      <CodeTabs label="Code samples" samples={codeSamples(model, window.location.origin)} />
      <p className={styles.hint}>
        Put an API key into <code>SLUICE_API_KEY</code>. You create keys on the page <Link to="/keys">API Keys</Link>.
      </p>
    </Dialog>
  )
}
