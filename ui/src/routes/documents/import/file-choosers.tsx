/** The buttons that choose files or a folder. */
import { useEffect, useRef, type ChangeEvent } from 'react'
import { Button } from '../../../components/button.tsx'
import { Icon } from '../../../components/icon.tsx'
import { filesOfInput } from './dropped-files.ts'
import type { NamedFile } from './named-file.ts'
import styles from './file-choosers.module.css'

export function FileChoosers({ onFiles }: { readonly onFiles: (files: readonly NamedFile[]) => void }) {
  const files = useRef<HTMLInputElement>(null)
  const folder = useRef<HTMLInputElement>(null)
  // React's types lack this attribute.
  useEffect(() => folder.current?.setAttribute('webkitdirectory', ''), [])
  function chosen(event: ChangeEvent<HTMLInputElement>): void {
    const { target } = event
    if (target.files !== null && target.files.length > 0) onFiles(filesOfInput(target.files))
    // Allows choosing the same files again.
    target.value = ''
  }
  return (
    <div className={styles.choosers}>
      <input ref={files} type="file" multiple hidden aria-label="Files to import" onChange={chosen} />
      <input ref={folder} type="file" hidden aria-label="Folder to import" onChange={chosen} />
      <Button onClick={() => files.current?.click()}>
        <Icon name="docs" />
        Choose files
      </Button>
      <Button onClick={() => folder.current?.click()}>
        <Icon name="folder" />
        Choose a folder
      </Button>
    </div>
  )
}
