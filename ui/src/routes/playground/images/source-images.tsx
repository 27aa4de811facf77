/** The images that are to be changed: chosen files, of which some can be removed. None: an image is made. */
import { useRef, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { FieldGroup } from '../../../components/field.tsx'
import { Icon } from '../../../components/icon.tsx'
import { imageProblem } from '../images.ts'
import styles from './images-tab.module.css'

const types = ['image/png', 'image/jpeg', 'image/webp']
const filesMax = 16

export interface SourceImagesProps {
  readonly files: readonly File[]
  readonly onChange: (files: readonly File[]) => void
}

export function SourceImages({ files, onChange }: SourceImagesProps) {
  const input = useRef<HTMLInputElement>(null)
  const [problem, setProblem] = useState<string | null>(null)
  function add(chosen: readonly File[]): void {
    const problems = chosen.map((file) => imageProblem(file, types))
    setProblem(problems.find((each) => each !== null) ?? null)
    onChange([...files, ...chosen.filter((_, at) => problems[at] === null)].slice(0, filesMax))
  }
  return (
    <FieldGroup label="Images to change (optional)" error={problem}>
      <input
        ref={input}
        type="file"
        hidden
        multiple
        accept={types.join(',')}
        aria-label="Images to change"
        onChange={({ target }) => {
          add([...(target.files ?? [])])
          // Allows choosing the same file again.
          target.value = ''
        }}
      />
      {files.length > 0 && (
        <ul className={styles.sources}>
          {files.map(({ name }, at) => (
            <li key={at} className={styles.source}>
              <span>{name}</span>
              <Button
                variant="quiet"
                icon
                aria-label={`Remove ${name}`}
                onClick={() => onChange(files.filter((_, index) => index !== at))}
              >
                <Icon name="close" />
              </Button>
            </li>
          ))}
        </ul>
      )}
      <div>
        <Button disabled={files.length >= filesMax} onClick={() => input.current?.click()}>
          <Icon name="image" />
          Choose images
        </Button>
      </div>
    </FieldGroup>
  )
}
