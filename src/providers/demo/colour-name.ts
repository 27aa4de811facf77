/** Plain names for colours, coarse enough that two people would agree on them. */

const named: readonly (readonly [name: string, red: number, green: number, blue: number])[] = [
  ['black', 0, 0, 0],
  ['dark grey', 64, 64, 64],
  ['grey', 128, 128, 128],
  ['light grey', 200, 200, 200],
  ['white', 255, 255, 255],
  ['red', 220, 20, 20],
  ['dark red', 120, 10, 10],
  ['orange', 255, 140, 0],
  ['brown', 130, 75, 30],
  ['beige', 230, 215, 180],
  ['yellow', 250, 230, 30],
  ['olive', 120, 120, 20],
  ['green', 30, 170, 50],
  ['light green', 150, 225, 130],
  ['dark green', 10, 80, 25],
  ['teal', 0, 128, 128],
  ['cyan', 30, 220, 235],
  ['light blue', 150, 200, 245],
  ['blue', 30, 70, 225],
  ['dark blue', 10, 20, 100],
  ['purple', 120, 30, 160],
  ['magenta', 240, 30, 220],
  ['pink', 250, 165, 195],
]

/** The name nearest to red, green, blue and alpha (0 to 255 each); mostly clear pixels are `transparent`. */
export function nearestColourName(rgba: ArrayLike<number>): string {
  const [red = 0, green = 0, blue = 0, alpha = 255] = Array.from(rgba)
  if (alpha < 128) return 'transparent'
  let best = ''
  let bestDistance = Infinity
  for (const [name, r, g, b] of named) {
    const distance = seenDistance([red - r, green - g, blue - b], (red + r) / 2)
    if (distance >= bestDistance) continue
    best = name
    bestDistance = distance
  }
  return best
}

/**
 * How far apart two colours look, squared: differences weighted by the eye's sensitivity, which for
 * red and blue shifts with the mean red ("redmean", https://www.compuphase.com/cmetric.htm).
 */
function seenDistance([red, green, blue]: readonly [number, number, number], meanRed: number): number {
  return (2 + meanRed / 256) * red * red + 4 * green * green + (2 + (255 - meanRed) / 256) * blue * blue
}
