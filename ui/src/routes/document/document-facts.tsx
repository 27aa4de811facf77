/** The record of a document. */
import type { Document } from '../../api/schema.d.ts'
import { Badge } from '../../components/badge.tsx'
import { ByteSize } from '../../components/byte-size.tsx'
import { CopiedFact, Fact, Facts } from '../../components/facts.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import styles from './document-facts.module.css'

export function DocumentFacts({ document }: { readonly document: Document }) {
  const { doc_id: id, title, category, owners, bytes, media_type: mediaType, sha256, version } = document
  return (
    <Facts>
      {title !== null && <Fact name="Title">{title}</Fact>}
      <Fact name="Category">{category}</Fact>
      <Fact name="Visible to">{owners.join(', ')}</Fact>
      <Fact name="Size">
        <ByteSize bytes={bytes} />
      </Fact>
      <Fact name="Type">{mediaType ?? 'unknown'}</Fact>
      <Fact name="Version">
        {version}
        {document.searchable && (
          <>
            {' '}
            <Badge tone="success">searchable</Badge>
          </>
        )}
      </Fact>
      <Fact name="Attempts">{document.attempts}</Fact>
      <Fact name="Imported">
        <RelativeTime at={document.created_at} />
      </Fact>
      <Fact name="Changed">
        <RelativeTime at={document.updated_at} />
      </Fact>
      <Fact name="Reader">
        <Component component={document.reader} />
      </Fact>
      <Fact name="Chunker">
        <Component component={document.chunker} />
      </Fact>
      <Fact name="Embedder">
        <Component component={document.embedder} />
      </Fact>
      <Fact name="Id">
        <CopiedFact text={id} what="id" />
      </Fact>
      <Fact name="SHA-256">
        <CopiedFact text={sha256} what="SHA-256" />
      </Fact>
    </Facts>
  )
}

/** The name of a component, with its resolved options. */
function Component({ component: { name, ...options } }: { readonly component: Document['reader'] }) {
  const texts = Object.entries(options as Readonly<Record<string, unknown>>).map(
    ([option, value]) => `${option.replaceAll('_', ' ')} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  return (
    <>
      {name}
      {texts.length > 0 && <span className={styles.options}>{texts.join(', ')}</span>}
    </>
  )
}
