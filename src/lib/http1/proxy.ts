/** What the client has to know of an HTTP proxy. Which one to use for which URL is decided elsewhere. */
import type { Secret } from '../secret.ts'

export interface Proxy {
  /** Bun takes IPv6 addresses without their brackets. */
  readonly hostname: string
  readonly port: number
  /** The value of `proxy-authorization`; null when the proxy asks for none. */
  readonly authorization: Secret | null
}

/** The proxy on the way to a URL; null for none. */
export type ProxyFor = (url: URL) => Proxy | null
