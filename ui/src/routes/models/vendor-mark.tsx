/** A small drawn mark for the maker of a model: two letters on a tile. It is decoration; the name is in words beside it. */
import type { Vendor } from './catalogue-facts.ts'
import styles from './vendor-mark.module.css'

export function VendorMark({ vendor, size = 28 }: { readonly vendor: Vendor; readonly size?: number }) {
  return (
    <svg
      className={`${styles.mark} ${styles[`tone${vendor.tone}`]}`}
      width={size}
      height={size}
      viewBox="0 0 28 28"
      aria-hidden="true"
    >
      <rect className={styles.tile} width="28" height="28" rx="7" />
      <text className={styles.letters} x="14" y="18.5" textAnchor="middle">
        {vendor.letters}
      </text>
    </svg>
  )
}
