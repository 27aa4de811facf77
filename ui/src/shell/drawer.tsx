/** The navigation in narrow windows, above the page. */
import { Dialog } from '@base-ui/react/dialog'
import { Button } from '../components/button.tsx'
import { Icon } from '../components/icon.tsx'
import styles from './drawer.module.css'
import { Navigation } from './navigation.tsx'

export function Drawer({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={styles.shade} />
        <Dialog.Popup className={styles.drawer}>
          <div className={styles.header}>
            <Dialog.Title className={styles.title}>Sluice</Dialog.Title>
            <Dialog.Close render={<Button variant="quiet" icon aria-label="Close the navigation" />}>
              <Icon name="close" />
            </Dialog.Close>
          </div>
          <Navigation onFollow={onClose} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
