/** A field for one image: chosen, dropped, or pasted anywhere on the tab. */
import { useEffect, useMemo, useRef, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { byteText } from '../../../components/format.ts'
import { Icon } from '../../../components/icon.tsx'
import { imageProblem, imageTypes, transferredFiles } from '../images.ts'
import styles from './image-field.module.css'

/** The generation endpoints accept two more types than chats. */
const types = [...imageTypes, 'image/bmp', 'image/tiff']

export interface ImageFieldProps {
  readonly file: File | null
  readonly onChange: (file: File | null) => void
}

export function ImageField({ file, onChange }: ImageFieldProps) {
  const [problem, setProblem] = useState<string | null>(null)
  const [over, setOver] = useState(false)
  const area = useRef<HTMLDivElement>(null)
  const input = useRef<HTMLInputElement>(null)
  const take = (files: readonly File[]): void => {
    const [first] = files
    if (first === undefined) return
    const found = imageProblem(first, types)
    setProblem(found)
    if (found === null) onChange(first)
  }
  usePaste(area, take)
  return (
    <div
      ref={area}
      className={`${styles.field} ${over ? styles.over : ''}`}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        take(transferredFiles(event.dataTransfer))
      }}
    >
      <input
        ref={input}
        type="file"
        hidden
        accept={types.join(',')}
        aria-label="Image"
        onChange={(event) => {
          take([...(event.target.files ?? [])])
          // Allows choosing the same file again.
          event.target.value = ''
        }}
      />
      {file === null ? <Icon name="image" size={24} /> : <Preview file={file} />}
      <div className={styles.buttons}>
        <Button onClick={() => input.current?.click()}>
          {file === null ? 'Choose an image' : 'Choose another image'}
        </Button>
        {file !== null && (
          <Button variant="quiet" icon aria-label={`Remove ${file.name}`} onClick={() => onChange(null)}>
            <Icon name="trash" />
          </Button>
        )}
      </div>
      <p role="status" className={problem === null ? styles.hint : styles.problem}>
        {problem ?? (file === null ? 'or drop or paste one' : `${file.name}, ${byteText(file.size)}`)}
      </p>
    </div>
  )
}

function Preview({ file }: { readonly file: File }) {
  const url = useMemo(() => URL.createObjectURL(file), [file])
  useEffect(() => () => URL.revokeObjectURL(url), [url])
  return <img className={styles.preview} src={url} alt={`Preview of ${file.name}`} />
}

/** Handles pasting wherever the focus is, while this tab is visible. */
function usePaste(area: React.RefObject<HTMLDivElement | null>, take: (files: readonly File[]) => void): void {
  const latest = useRef(take)
  useEffect(() => {
    latest.current = take
  })
  useEffect(() => {
    const onPaste = (event: ClipboardEvent): void => {
      const files = transferredFiles(event.clipboardData)
      if (files.length === 0 || area.current === null || area.current.offsetParent === null) return
      event.preventDefault()
      latest.current(files)
    }
    document.addEventListener('paste', onPaste)
    return () => document.removeEventListener('paste', onPaste)
  }, [area])
}
