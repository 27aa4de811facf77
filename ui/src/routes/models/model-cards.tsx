/** Models as cards, with names to copy and capabilities. */
import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { countText } from '../../components/format.ts'
import type { UsableModel } from '../../api/schema.d.ts'
import styles from './model-cards.module.css'
import { ModelFacts } from './model-facts.tsx'

export interface ModelListProps {
  readonly models: readonly UsableModel[]
  readonly onOpen: (name: string) => void
}

/** A page of cards; thousands at once take seconds to draw. */
const cardsPerPage = 200

export function ModelCards({ models, onOpen }: ModelListProps) {
  const [shown, setShown] = useState(cardsPerPage)
  const next = Math.min(cardsPerPage, models.length - shown)
  return (
    <>
      <ul className={styles.cards}>
        {models.slice(0, shown).map((model) => (
          <ModelCard key={model.name} model={model} onOpen={onOpen} />
        ))}
      </ul>
      {next > 0 && (
        <Button className={styles.more ?? ''} onClick={() => setShown(shown + cardsPerPage)}>
          Show {countText(next, 'more model')} of {models.length}
        </Button>
      )}
    </>
  )
}

interface ModelCardProps extends Pick<ModelListProps, 'onOpen'> {
  readonly model: UsableModel
}

function ModelCard({ model, onOpen }: ModelCardProps) {
  return (
    <li className={styles.card}>
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
  )
}
