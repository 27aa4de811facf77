/** What files state about themselves beside their title, as metadata: the same names for all formats. */

const textMax = 500

/** The texts that a file has for these names, one line each; what it lacks is left out. */
export function statedTexts(
  names: Readonly<Record<string, string>>,
  textOfName: (name: string) => string,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(names).flatMap(([name, source]) => {
      const text = textOfName(source).replaceAll(/\s+/g, ' ').trim().slice(0, textMax).toWellFormed()
      return text === '' ? [] : [[name, text]]
    }),
  )
}

/** Anchors and aliases, by which a few lines can stand for gigabytes. */
const reference = /(?:^|[\s,[{:-])[&*][^\s,\]}]/

/** The settings before a Markdown text, which are YAML; none when they are not an object. */
export function frontMatter(yaml: string): Readonly<Record<string, unknown>> {
  if (reference.test(yaml)) return {}
  try {
    // Dates become texts.
    const parsed: unknown = JSON.parse(JSON.stringify(Bun.YAML.parse(yaml)) ?? 'null')
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return {}
    return Object.fromEntries(Object.entries(parsed).filter(([name]) => name !== 'title'))
  } catch {
    return {}
  }
}
