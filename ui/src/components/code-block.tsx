/** A block of code with a copy button. Several languages have one tab each. */
import { Suspense } from 'react'
import { CopyButton } from './copy-button.tsx'
import { lazyPart, PartBoundary } from './lazy-part.tsx'
import { Tabs } from './tabs.tsx'
import styles from './code-block.module.css'

export interface CodeSample {
  readonly language: string
  readonly code: string
}

export interface CodeBlockProps extends CodeSample {
  /** False where a page may have several blocks of one language: landmarks must have different names. */
  readonly landmark?: boolean
}

const ColouredCode = lazyPart(() => import('./coloured-code.tsx'), 'ColouredCode')

export function CodeBlock({ language, code, landmark = true }: CodeBlockProps) {
  return (
    <div className={styles.block}>
      {/* The box scrolls sideways, so it must be reachable by keyboard. */}
      <pre className={styles.code} tabIndex={0} role={landmark ? 'region' : 'group'} aria-label={`${language} code`}>
        <code>
          {/* Without its colours the code can still be read. */}
          <PartBoundary fallback={() => code}>
            <Suspense fallback={code}>
              <ColouredCode language={language} code={code} />
            </Suspense>
          </PartBoundary>
        </code>
      </pre>
      <div className={styles.copy}>
        <CopyButton text={code} what={`${language} code`} />
      </div>
    </div>
  )
}

export function CodeTabs({ label, samples }: { readonly label: string; readonly samples: readonly CodeSample[] }) {
  const tabs = samples.map((sample) => ({
    value: sample.language,
    label: sample.language,
    content: <CodeBlock {...sample} />,
  }))
  return <Tabs label={label} tabs={tabs} />
}
