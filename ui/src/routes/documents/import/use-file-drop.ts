/** Accepts files that are dropped anywhere on the page. Otherwise the browser would open them. */
import { useEffect, useState } from 'react'
import { toast } from '../../../components/toast.tsx'
import { filesOfDrop } from './dropped-files.ts'
import type { NamedFile } from './named-file.ts'

/** True while files are dragged over the page. */
export function useFileDrop(onFiles: (files: readonly NamedFile[]) => void): boolean {
  const [isOver, setIsOver] = useState(false)
  useEffect(() => {
    const over = (event: DragEvent): void => {
      if (event.dataTransfer?.types.includes('Files') !== true) return
      event.preventDefault()
      event.dataTransfer.dropEffect = 'copy'
      setIsOver(true)
    }
    const leave = (event: DragEvent): void => {
      // The pointer left the window, not just an element.
      if (event.relatedTarget === null) setIsOver(false)
    }
    const drop = (event: DragEvent): void => {
      setIsOver(false)
      if (event.dataTransfer?.types.includes('Files') !== true) return
      event.preventDefault()
      filesOfDrop(event.dataTransfer).then(
        (files) =>
          files.length === 0
            ? toast('You dropped nothing that can be imported. Drop files or a folder.')
            : onFiles(files),
        () => toast('The browser blocked reading the dropped files. Use “Choose files”.'),
      )
    }
    window.addEventListener('dragover', over)
    window.addEventListener('dragleave', leave)
    window.addEventListener('drop', drop)
    return () => {
      window.removeEventListener('dragover', over)
      window.removeEventListener('dragleave', leave)
      window.removeEventListener('drop', drop)
    }
  }, [onFiles])
  return isOver
}
