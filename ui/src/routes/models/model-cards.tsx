/** Models as cards, with names to copy, capabilities and figures. */
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { countText } from '../../components/format.ts'
import { vendorOf } from './catalogue-facts.ts'
import { Figures } from './figures.tsx'
import type { CatalogueModel } from './find-models.ts'
import styles from './model-cards.module.css'
import { ModelFacts } from './model-facts.tsx'
import { VendorMark } from './vendor-mark.tsx'

export interface ModelListProps {
  readonly models: readonly CatalogueModel[]
  readonly currency: string
}

/** A page of cards; thousands at once take seconds to draw. */
const cardsPerPage = 200

export function ModelCards({ models, currency }: ModelListProps) {
  const [shown, setShown] = useState(cardsPerPage)
  const next = Math.min(cardsPerPage, models.length - shown)
  return (
    <>
      <ul className={styles.cards}>
        {models.slice(0, shown).map((each) => (
          <ModelCard key={each.model.name} {...each} currency={currency} />
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

function ModelCard({ model, performance, currency }: CatalogueModel & Pick<ModelListProps, 'currency'>) {
  const vendor = vendorOf(model)
  return (
    <li className={styles.card}>
      <header className={styles.header}>
        <VendorMark vendor={vendor} />
        <h2 className={styles.name}>
          <Link to="/models/about/$name" params={{ name: model.name }} className={styles.open}>
            {model.name}
          </Link>
        </h2>
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
        <Figures model={model} performance={performance} currency={currency} />
        <Badge tone="accent">{model.provider === 'sluice' ? 'composite' : model.provider}</Badge>
      </footer>
    </li>
  )
}
