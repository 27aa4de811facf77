/** Shown without documents: the ways to import some. */
import { CodeTabs } from '../../components/code-block.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import type { NamedFile } from './import/named-file.ts'
import { FileChoosers } from './import/file-choosers.tsx'
import styles from './no-documents.module.css'

export function NoDocuments({ onFiles }: { readonly onFiles: (files: readonly NamedFile[]) => void }) {
  return (
    <div className={styles.box}>
      <EmptyState icon="upload" title="No documents yet" action={<FileChoosers onFiles={onFiles} />}>
        Drop files or a folder anywhere on this page. The server reads, chunks and embeds them in the background; then
        searches and chats can use them.
      </EmptyState>
      <div className={styles.samples}>
        <p className={styles.hint}>Or from a shell, with an API key in SLUICE_API_KEY:</p>
        <CodeTabs label="Import from a shell" samples={samples(window.location.origin)} />
      </div>
    </div>
  )
}

function samples(origin: string) {
  return [
    { language: 'sluice', code: 'sluice import ./handbook --category general' },
    {
      language: 'curl',
      code: [
        `curl ${origin}/api/v1/documents \\`,
        '  -H "Authorization: Bearer $SLUICE_API_KEY" \\',
        '  -F category=general \\',
        '  -F files=@handbook.pdf',
      ].join('\n'),
    },
  ]
}
