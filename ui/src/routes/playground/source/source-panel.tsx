/**
 * A cited passage where it stands: the page of a PDF as a picture with the passage marked, or the text of the page, or the
 * text around it. Beside the answer in a wide window, over it in a narrow one. Loads when the first source is opened.
 */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef, useState, type ReactNode } from 'react'
import { asApiError } from '../../../api/api-error.ts'
import { Button, buttonClass } from '../../../components/button.tsx'
import { Dialog } from '../../../components/dialog.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { Icon } from '../../../components/icon.tsx'
import { Skeleton } from '../../../components/skeleton.tsx'
import { documentQuery } from '../../documents/queries.ts'
import { markedParts } from './marked-parts.ts'
import { aroundQuery, pageQuery } from './queries.ts'
import styles from './source-panel.module.css'

/** A passage of a document: a citation of an answer, or a hit of the search. */
export interface Passage {
  readonly doc_id: string
  readonly name: string | null
  readonly page: number | null
  readonly heading_path: readonly string[]
  /** Offsets in the document's text, in code points. */
  readonly start: number
  readonly end: number
  readonly text: string
}

export interface SourcePanelProps {
  readonly title: string
  readonly passage: Passage
  readonly onClose: () => void
  /** In a column of the page; otherwise a dialog. */
  readonly beside?: boolean
}

export function SourcePanel({ title, passage, onClose, beside = false }: SourcePanelProps) {
  const [page, setPage] = useState(passage.page)
  // Another passage is opened at its own page.
  const [shown, setShown] = useState(passage)
  if (shown !== passage) {
    setShown(passage)
    setPage(passage.page)
  }
  const content = <Content passage={passage} page={page} onPage={setPage} />
  const link = (
    <Link className={buttonClass()} to="/documents/$id" params={{ id: passage.doc_id }}>
      Open the document
    </Link>
  )
  if (beside)
    return (
      <Beside title={title} onClose={onClose} actions={link}>
        {content}
      </Beside>
    )
  return (
    <Dialog open onClose={onClose} placement="side" title={title} actions={link}>
      {content}
    </Dialog>
  )
}

interface BesideProps {
  readonly title: string
  readonly onClose: () => void
  readonly actions: ReactNode
  readonly children: ReactNode
}

/** Takes the focus when it opens, and gives it back. */
function Beside({ title, onClose, actions, children }: BesideProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    const before = document.activeElement
    heading.current?.focus({ preventScroll: true })
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true })
    }
  }, [title])
  return (
    <section
      className={styles.beside}
      aria-label="Source"
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose()
      }}
    >
      <header className={styles.header}>
        <h2 ref={heading} tabIndex={-1} className={styles.title}>
          {title}
        </h2>
        <Button variant="quiet" icon aria-label="Close the source" onClick={onClose}>
          <Icon name="close" />
        </Button>
      </header>
      {children}
      <div>{actions}</div>
    </section>
  )
}

interface ContentProps {
  readonly passage: Passage
  readonly page: number | null
  readonly onPage: (page: number) => void
}

function Content({ passage, page, onPage }: ContentProps) {
  const { heading_path: headings } = passage
  const { data: document, error } = useQuery(documentQuery(passage.doc_id))
  const [asText, setAsText] = useState(false)
  const isPdf = document?.media_type === 'application/pdf'
  // Deleted, or no longer shared: the passage is all that is left.
  if (error !== null)
    return (
      <>
        <ErrorNotice error={asApiError(error)} />
        <blockquote className={styles.text}>
          <mark>{passage.text}</mark>
        </blockquote>
      </>
    )
  if (document === undefined) return <Skeleton lines={10} label="Loading the page" />
  return (
    <>
      {headings.length > 0 && <p className={styles.headings}>{headings.join(' › ')}</p>}
      {page !== null && <Pages passage={passage} page={page} onPage={onPage} />}
      {page !== null && isPdf && (
        <div>
          <Button onClick={() => setAsText(!asText)}>{asText ? 'Show the page' : 'Show the text'}</Button>
        </div>
      )}
      {page === null ? (
        <Around passage={passage} />
      ) : isPdf && !asText ? (
        <PagePicture passage={passage} page={page} onFail={() => setAsText(true)} />
      ) : (
        <PageText passage={passage} page={page} />
      )}
    </>
  )
}

/** The picture of a page. The server marks the passage, where it is on this page. */
function PagePicture({
  passage,
  page,
  onFail,
}: {
  readonly passage: Passage
  readonly page: number
  readonly onFail: () => void
}) {
  const { doc_id: id, name, start, end } = passage
  const offsets = end > start && page === passage.page ? `?start=${start}&end=${end}` : ''
  const [loaded, setLoaded] = useState('')
  const address = `/api/v1/document/${encodeURIComponent(id)}/pages/${page}/image${offsets}`
  return (
    <div className={styles.page} aria-busy={loaded !== address}>
      <img
        src={address}
        alt={`Page ${page} of ${name ?? 'the document'}${page === passage.page ? ' with the passage marked' : ''}`}
        onLoad={() => setLoaded(address)}
        onError={onFail}
      />
    </div>
  )
}

function PageText({ passage, page }: { readonly passage: Passage; readonly page: number }) {
  const { data, error, refetch } = useQuery(pageQuery(passage.doc_id, page))
  if (error !== null) return <ErrorNotice error={asApiError(error)} onRetry={() => void refetch()} />
  if (data === undefined) return <Skeleton lines={10} label="Loading the page" />
  return <MarkedPassage text={data.text} start={passage.start - data.start} end={passage.end - data.start} />
}

function Around({ passage }: { readonly passage: Passage }) {
  const { data, error, refetch } = useQuery(aroundQuery(passage))
  if (error !== null) return <ErrorNotice error={asApiError(error)} onRetry={() => void refetch()} />
  if (data === undefined) return <Skeleton lines={10} label="Loading the text" />
  return <MarkedPassage text={data.text} start={passage.start - data.start} end={passage.end - data.start} />
}

interface MarkedPassageProps {
  readonly text: string
  readonly start: number
  readonly end: number
}

/** The text with the passage marked, scrolled to it. */
function MarkedPassage({ text, start, end }: MarkedPassageProps) {
  const mark = useRef<HTMLElement>(null)
  useEffect(() => {
    const { current } = mark
    const box = current?.closest('blockquote')
    if (current !== null && box) box.scrollTop = current.offsetTop - box.offsetTop - box.clientHeight / 4
  }, [text, start])
  const [before, marked, after] = markedParts(text, start, end)
  return (
    // The box scrolls, so it must be reachable by keyboard.
    <blockquote className={styles.text} tabIndex={0}>
      {before}
      {marked !== '' && <mark ref={mark}>{marked}</mark>}
      {after}
    </blockquote>
  )
}

function Pages({
  passage,
  page,
  onPage,
}: {
  readonly passage: Passage
  readonly page: number
  readonly onPage: (page: number) => void
}) {
  const { data } = useQuery(pageQuery(passage.doc_id, page))
  const isLast = data !== undefined && data.pages <= page
  return (
    <div className={styles.pages}>
      <Button
        icon
        aria-label="The page before"
        title="The page before"
        disabled={page <= 1}
        onClick={() => onPage(page - 1)}
      >
        <Icon name="up" />
      </Button>
      <Button icon aria-label="The next page" title="The next page" disabled={isLast} onClick={() => onPage(page + 1)}>
        <Icon name="chevron" />
      </Button>
      <span role="status">
        Page {page}
        {data === undefined ? '' : ` of ${Math.max(data.pages, page)}`}
        {data?.label ? `, ${data.label}` : ''}
      </span>
      {page !== passage.page && passage.page !== null && (
        <Button variant="quiet" onClick={() => onPage(passage.page ?? page)}>
          Back to the passage
        </Button>
      )}
    </div>
  )
}
