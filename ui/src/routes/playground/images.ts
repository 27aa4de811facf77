/** Images that are chosen, dropped or pasted: validation and conversion to data URLs. */
import type { AttachedImage } from './chat/conversation.ts'

/** The types that chat models accept. */
export const imageTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] as const

const bytesMax = 20 * 1024 * 1024

/** Why a file cannot be used; null when it can. */
export function imageProblem({ name, type, size }: File, types: readonly string[] = imageTypes): string | null {
  const known = types.map((each) => each.replace('image/', '').toUpperCase()).join(', ')
  if (!types.includes(type)) return `“${name}” is not a supported image. Use ${known}.`
  if (size > bytesMax) return `“${name}” exceeds ${bytesMax / 1024 / 1024} MB. Use a smaller image.`
  return null
}

/** The file as a data URL. */
export async function readImage(file: File): Promise<AttachedImage> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener('load', () => {
      if (typeof reader.result === 'string') resolve({ name: file.name, url: reader.result })
    })
    reader.addEventListener('error', () => reject(new Error(`“${file.name}” cannot be read. Choose it again.`)))
    reader.readAsDataURL(file)
  })
}

/** The files of a paste or drop. */
export function transferredFiles(data: DataTransfer | null): readonly File[] {
  return data === null ? [] : [...data.files]
}
