/** Where a value comes from, from the weakest source to the strongest. */

import type { SettingName } from './records.ts'

export type Source =
  | { readonly kind: 'default' }
  /** Set by an administrator while the server ran; only for `live` settings, and weaker than all that follow. */
  | { readonly kind: 'stored' }
  | { readonly kind: 'file'; readonly file: string; readonly key: string }
  | { readonly kind: 'environment'; readonly variable: string }
  | { readonly kind: 'command_line' }

/** Where each setting's value comes from. */
export type Sources = Readonly<Record<SettingName, Source>>

/** A source as people read it. */
export function sourceText(source: Source): string {
  switch (source.kind) {
    case 'default':
      return 'default'
    case 'stored':
      return 'admin page'
    case 'file':
      return `${source.file}: ${source.key}`
    case 'environment':
      return source.variable
    case 'command_line':
      return '--set'
  }
}
