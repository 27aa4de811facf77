/** The ways to look chunks up: by meaning (vector), by words (keyword), or by both (hybrid). */
export const searchModes = ['hybrid', 'vector', 'keyword'] as const

export type SearchMode = (typeof searchModes)[number]
