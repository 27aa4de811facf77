/** A number of bytes ("3.4 MB"), exact on hover. */
import { byteText, countText } from './format.ts'

export function ByteSize({ bytes }: { readonly bytes: number }) {
  return <span title={countText(bytes, 'byte')}>{byteText(bytes)}</span>
}
