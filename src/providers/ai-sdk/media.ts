/** Pictures, sound and files of a message as file parts of the AI SDK's model interface. */
import type { LanguageModelV4FilePart } from '@ai-sdk/provider'
import { notSupported, Problem } from './problem.ts'

/** Addresses that the vendor fetches by itself, by media type (`image/*`, `*`). */
export type SupportedUrls = Readonly<Record<string, readonly RegExp[]>>

const extensions: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  gif: 'image/gif',
  bmp: 'image/bmp',
}

const audioTypes: Readonly<Record<string, string>> = {
  wav: 'audio/wav',
  mp3: 'audio/mpeg',
  flac: 'audio/flac',
  ogg: 'audio/ogg',
  aac: 'audio/aac',
}

/** A picture from a data URL, or from an address if the vendor fetches it. */
export function imagePart(address: string, urls: SupportedUrls, param: string): LanguageModelV4FilePart {
  const at = `${param}.image_url.url`
  if (address.startsWith('data:')) return inlinePart(address, at)
  const url = URL.parse(address)
  if (url === null) throw new Problem('The picture must be a data URL or an https address.', at)
  const mediaType = extensions[/\.([a-z]+)$/iu.exec(url.pathname)?.[1]?.toLowerCase() ?? ''] ?? 'image/*'
  if (!fetches(urls, mediaType, address)) {
    throw notSupported(at, 'this provider does not fetch this address. Send the picture as a data URL.')
  }
  // The type is unknown before fetching when there is no extension; JPEG is what every vendor reads.
  return { type: 'file', mediaType: mediaType === 'image/*' ? 'image/jpeg' : mediaType, data: { type: 'url', url } }
}

/** Sound, inline. */
export function audioPart(
  { data, format }: { readonly data: string; readonly format: string },
  param: string,
): LanguageModelV4FilePart {
  const mediaType = audioTypes[format]
  if (mediaType === undefined) throw notSupported(`${param}.input_audio.format`, `"${format}" is not known.`)
  return { type: 'file', mediaType, data: { type: 'data', data } }
}

/** A file from a data URL; files that were uploaded to OpenAI are out of reach. */
export function filePart(
  file: { readonly file_data?: string | null | undefined; readonly filename?: string | null | undefined },
  param: string,
): LanguageModelV4FilePart {
  if (!file.file_data) throw notSupported(`${param}.file`, 'send the file itself as a data URL in "file_data".')
  const part = inlinePart(file.file_data, `${param}.file.file_data`)
  return file.filename ? { ...part, filename: file.filename } : part
}

function inlinePart(address: string, param: string): LanguageModelV4FilePart {
  const comma = address.indexOf(',')
  const [mediaType = '', ...attributes] = address.slice('data:'.length, comma).split(';')
  if (!address.startsWith('data:') || comma < 0 || !/^[\w.+-]+\/[\w.+-]+$/u.test(mediaType)) {
    throw new Problem('Expected a data URL with a media type, for example data:image/png;base64,…', param)
  }
  const payload = address.slice(comma + 1)
  const base64 = attributes.at(-1) === 'base64'
  return { type: 'file', mediaType, data: { type: 'data', data: base64 ? payload : decoded(payload, param) } }
}

function decoded(payload: string, param: string): Uint8Array {
  try {
    return new TextEncoder().encode(decodeURIComponent(payload))
  } catch {
    throw new Problem('The data URL is broken.', param)
  }
}

function fetches(urls: SupportedUrls, mediaType: string, address: string): boolean {
  const wanted = mediaType.replace('*', '')
  return Object.entries(urls).some(([type, patterns]) => {
    const offered = type.replace(/\*(\/\*)?$/u, '')
    if (!wanted.startsWith(offered) && !offered.startsWith(wanted)) return false
    return patterns.some((pattern) => pattern.test(address.toLowerCase()))
  })
}
