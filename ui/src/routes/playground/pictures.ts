/** Pictures that were chosen, dropped or pasted: which are taken, and how they travel in a message. */
import type { Picture } from './chat/conversation.ts'

/** What vision models read. */
export const pictureTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] as const

const bytesMax = 20 * 1024 * 1024

/** Why a file cannot be sent; null when it can. */
export function pictureProblem({ name, type, size }: File, types: readonly string[] = pictureTypes): string | null {
  const known = types.map((each) => each.replace('image/', '').toUpperCase()).join(', ')
  if (!types.includes(type)) return `“${name}” is no picture that models read. Take one of ${known}.`
  if (size > bytesMax) return `“${name}” has more than ${bytesMax / 1024 / 1024} MB. Make it smaller first.`
  return null
}

/** The file as a data URL. */
export async function readPicture(file: File): Promise<Picture> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener('load', () => {
      if (typeof reader.result === 'string') resolve({ name: file.name, url: reader.result })
    })
    reader.addEventListener('error', () => reject(new Error(`“${file.name}” cannot be read. Choose it again.`)))
    reader.readAsDataURL(file)
  })
}

/** The files of a paste or a drop. */
export function transferredFiles(data: DataTransfer | null): readonly File[] {
  return data === null ? [] : [...data.files]
}
