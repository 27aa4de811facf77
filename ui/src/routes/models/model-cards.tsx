/** Models as cards, with names to copy and capabilities. */
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import type { UsableModel } from '../../api/schema.d.ts'
import styles from './model-cards.module.css'
import { ModelFacts } from './model-facts.tsx'

export interface ModelListProps {
  readonly models: readonly UsableModel[]
  readonly onOpen: (name: string) => void
}

export function ModelCards({ models, onOpen }: ModelListProps) {
  return (
    <ul className={styles.cards}>
      {models.map((model) => (
        <li key={model.name} className={styles.card}>
          <header className={styles.header}>
            <h2 className={styles.name}>{model.name}</h2>
            <CopyButton text={model.name} what={`name ${model.name}`} />
          </header>
          {model.aliases.length > 0 && (
            <ul className={styles.aliases} aria-label={`Aliases of ${model.name}`}>
              {model.aliases.map((alias) => (
                <li key={alias} className={styles.alias}>
                  <code>{alias}</code>
                  <CopyButton text={alias} what={`alias ${alias}`} />
                </li>
              ))}
            </ul>
          )}
          {model.description !== '' && <p className={styles.description}>{model.description}</p>}
          <ModelFacts model={model} />
          <footer className={styles.footer}>
            <Badge tone="accent">{model.provider}</Badge>
            <Button onClick={() => onOpen(model.name)}>
              Use it <span className="visually-hidden">{model.name}</span>
            </Button>
          </footer>
        </li>
      ))}
    </ul>
  )
}
