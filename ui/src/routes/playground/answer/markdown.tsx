/**
 * Renders Markdown as React elements. No part of the text becomes HTML, and nothing is loaded from elsewhere. While a text
 * grows, only its last blocks are rendered again, and the browser can do other things in between.
 */
import { memo, Suspense, useDeferredValue, useState, type ReactNode } from 'react'
import { Button } from '../../../components/button.tsx'
import { CodeBlock } from '../../../components/code-block.tsx'
import { lazyPart, PartBoundary } from '../../../components/lazy-part.tsx'
import type { Block, Item } from './markdown-blocks.ts'
import { markdownPieces, type Piece } from './markdown-pieces.ts'
import { firstBlocks, MarkdownReader } from './markdown-reader.ts'
import styles from './markdown.module.css'

const Formula = lazyPart(() => import('./formula.tsx'), 'Formula')

export interface MarkdownProps {
  readonly text: string
  /** The number of sources: `[1]` to this number become buttons. */
  readonly sources?: number
  readonly onSource?: (index: number) => void
}

interface Sources {
  readonly count: number
  readonly open: (index: number) => void
}

/** Some screens full. More is shown when the reader asks for it. */
const elementsAtOnce = 3000

export const Markdown = memo(function Markdown({ text, sources = 0, onSource = nothing }: MarkdownProps) {
  const [reader] = useState(() => new MarkdownReader())
  const [elementsMax, setElementsMax] = useState(elementsAtOnce)
  const all = reader.read(useDeferredValue(text))
  const { blocks, isAll } = firstBlocks(all, elementsMax)
  return (
    <div className={styles.markdown}>
      {blocks.map((block, at) => (
        // The index identifies a block: a stream only appends.
        <BlockView key={at} block={block} sources={sources} onSource={onSource} />
      ))}
      {!isAll && (
        <p>
          <Button onClick={() => setElementsMax(elementsMax + elementsAtOnce)}>Show more of this long answer</Button>
        </p>
      )}
    </div>
  )
})

function nothing(): void {
  // Text without sources has no buttons.
}

interface BlockViewProps {
  readonly block: Block
  readonly sources: number
  readonly onSource: (index: number) => void
}

/** Blocks of a growing text that have not changed are the same objects, and are not rendered again. */
const BlockView = memo(function BlockView({ block, sources, onSource }: BlockViewProps) {
  return <AnyBlock block={block} sources={{ count: sources, open: onSource }} />
})

function Blocks({ blocks, sources }: { readonly blocks: readonly Block[]; readonly sources: Sources }) {
  return blocks.map((block, at) => <AnyBlock key={at} block={block} sources={sources} />)
}

function AnyBlock({ block, sources }: { readonly block: Block; readonly sources: Sources }) {
  const pieces = (text: string): ReactNode => <Pieces pieces={markdownPieces(text, sources.count)} sources={sources} />
  switch (block.kind) {
    case 'paragraph':
      return <p>{pieces(block.text)}</p>
    case 'heading':
      // One level below the headings of the page.
      return block.level < 3 ? <h3>{pieces(block.text)}</h3> : <h4>{pieces(block.text)}</h4>
    case 'code':
      return (
        <CodeBlock language={block.language === '' ? 'Plain' : block.language} code={block.text} landmark={false} />
      )
    case 'math':
      return <MathText text={block.text} block />
    case 'quote':
      return (
        <blockquote>
          <Blocks blocks={block.blocks} sources={sources} />
        </blockquote>
      )
    case 'list':
      return <List block={block} sources={sources} />
    case 'table':
      return <Table block={block} pieces={pieces} />
    case 'rule':
      return <hr />
  }
}

/** A formula; as it is written until what draws it is there. */
function MathText({ text, block }: { readonly text: string; readonly block: boolean }) {
  const written = <code>{text}</code>
  return (
    <PartBoundary fallback={() => written}>
      <Suspense fallback={written}>
        <Formula text={text} block={block} />
      </Suspense>
    </PartBoundary>
  )
}

type Of<Kind extends Block['kind']> = Extract<Block, { readonly kind: Kind }>

function List({ block: { start, items }, sources }: { readonly block: Of<'list'>; readonly sources: Sources }) {
  const children = items.map((item, at) => <ListItem key={at} item={item} sources={sources} />)
  return start === null ? <ul>{children}</ul> : <ol start={start}>{children}</ol>
}

function ListItem({ item: { done, blocks }, sources }: { readonly item: Item; readonly sources: Sources }) {
  const [only] = blocks
  const isOneLine = blocks.length === 1 && only?.kind === 'paragraph'
  const content = isOneLine ? (
    <Pieces pieces={markdownPieces(only.text, sources.count)} sources={sources} />
  ) : (
    <Blocks blocks={blocks} sources={sources} />
  )
  if (done === null) return <li>{content}</li>
  return (
    <li className={styles.task}>
      <input type="checkbox" disabled checked={done} readOnly aria-label={done ? 'Done' : 'Not done'} />
      <div>{content}</div>
    </li>
  )
}

function Table({
  block: { header, rows },
  pieces,
}: {
  readonly block: Of<'table'>
  readonly pieces: (text: string) => ReactNode
}) {
  return (
    // The box scrolls sideways, so it must be reachable by keyboard.
    <div className={styles.table} role="group" aria-label="Table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {header.map((cell, column) => (
              <th key={column} scope="col">
                {pieces(cell)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            <tr key={row}>
              {cells.map((cell, column) => (
                <td key={column}>{pieces(cell)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Pieces({ pieces, sources }: { readonly pieces: readonly Piece[]; readonly sources: Sources }) {
  return pieces.map((piece, at) => <PieceView key={at} piece={piece} sources={sources} />)
}

function PieceView({ piece, sources }: { readonly piece: Piece; readonly sources: Sources }) {
  switch (piece.kind) {
    case 'text':
      return piece.text
    case 'code':
      return <code>{piece.text}</code>
    case 'strong':
      return (
        <strong>
          <Pieces pieces={piece.pieces} sources={sources} />
        </strong>
      )
    case 'math':
      return <MathText text={piece.text} block={false} />
    case 'deleted':
      return (
        <del>
          <Pieces pieces={piece.pieces} sources={sources} />
        </del>
      )
    case 'emphasis':
      return (
        <em>
          <Pieces pieces={piece.pieces} sources={sources} />
        </em>
      )
    case 'link':
      return (
        <a href={piece.address} target="_blank" rel="noopener noreferrer nofollow">
          <Pieces pieces={piece.pieces} sources={sources} />
        </a>
      )
    case 'source':
      return (
        <button
          type="button"
          className={styles.source}
          aria-label={`Source ${piece.index}`}
          onClick={() => sources.open(piece.index)}
        >
          {piece.index}
        </button>
      )
  }
}
