/** The list of keyboard shortcuts. */
import { Button } from '../components/button.tsx'
import { Dialog } from '../components/dialog.tsx'
import { otherKeys, pageKeys } from './shortcuts.ts'
import styles from './shortcut-list.module.css'

export function ShortcutList({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog
      open
      onClose={onClose}
      title="Keyboard shortcuts"
      actions={<Button onClick={onClose}>Close the list</Button>}
    >
      {/* In the order of the Tab key, so that the arrow keys scroll what does not fit. */}
      <dl className={styles.list} tabIndex={0}>
        {otherKeys.map(([keys, does]) => (
          <Row key={does} keys={keys} does={does} />
        ))}
        {pageKeys.map(([key, , label]) => (
          <Row key={key} keys={['G', key.toUpperCase()]} does={`Go to ${label}`} />
        ))}
      </dl>
    </Dialog>
  )
}

function Row({ keys, does }: { readonly keys: readonly string[]; readonly does: string }) {
  return (
    <>
      <dt>
        {keys.map((key) => (
          <kbd key={key} className={styles.key}>
            {key}
          </kbd>
        ))}
      </dt>
      <dd>{does}</dd>
    </>
  )
}
