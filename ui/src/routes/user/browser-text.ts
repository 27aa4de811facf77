/** A browser as people name it, from how it names itself: "Firefox on Windows". */

const browsers = [
  [/Edg(e|A|iOS)?\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrome\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
] as const

const systems = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux|X11/, 'Linux'],
] as const

/** What is not a known browser is shown as it is, cut; null is a session of an older version. */
export function browserText(agent: string | null): string {
  if (agent === null || agent === '') return 'An unknown browser'
  const browser = browsers.find(([pattern]) => pattern.test(agent))?.[1]
  const system = systems.find(([pattern]) => pattern.test(agent))?.[1]
  if (browser === undefined) return agent.slice(0, 60)
  return system === undefined ? browser : `${browser} on ${system}`
}
