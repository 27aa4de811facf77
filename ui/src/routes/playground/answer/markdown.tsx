/** Renders Markdown as React elements. No part of the text becomes HTML, and nothing is loaded. */
import { memo, type ReactNode } from 'react'
import { CodeBlock } from '../../../components/code-block.tsx'
import { markdownBlocks, type Block } from './markdown-blocks.ts'
import { markdownPieces, type Piece } from './markdown-pieces.ts'
import styles from './markdown.module.css'

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

export const Markdown = memo(function Markdown({ text, sources = 0, onSource = nothing }: MarkdownProps) {
  return (
    <div className={styles.markdown}>
      <Blocks blocks={markdownBlocks(text)} sources={{ count: sources, open: onSource }} />
    </div>
  )
})

function nothing(): void {
  // Text without sources has no buttons.
}

function Blocks({ blocks, sources }: { readonly blocks: readonly Block[]; readonly sources: Sources }) {
  // The index identifies a block: a stream only appends.
  return blocks.map((block, at) => <BlockView key={at} block={block} sources={sources} />)
}

function BlockView({ block, sources }: { readonly block: Block; readonly sources: Sources }) {
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

type Of<Kind extends Block['kind']> = Extract<Block, { readonly kind: Kind }>

function List({ block: { start, items }, sources }: { readonly block: Of<'list'>; readonly sources: Sources }) {
  const children = items.map((blocks, at) => {
    const [only] = blocks
    const isOneLine = blocks.length === 1 && only?.kind === 'paragraph'
    return (
      <li key={at}>
        {isOneLine ? (
          <Pieces pieces={markdownPieces(only.text, sources.count)} sources={sources} />
        ) : (
          <Blocks blocks={blocks} sources={sources} />
        )}
      </li>
    )
  })
  return start === null ? <ul>{children}</ul> : <ol start={start}>{children}</ol>
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
    case 'emphasis':
      return (
        <em>
          <Pieces pieces={piece.pieces} sources={sources} />
        </em>
      )
    case 'link':
      return (
        <a href={piece.address} target="_blank" rel="noreferrer">
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
