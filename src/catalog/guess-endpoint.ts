/** What a model is for, by the words of its name, where nothing better says so. */

/** The first that fits decides. The words are of names that vendors and model servers use. */
const kinds: readonly (readonly [endpoint: string, name: RegExp])[] = [
  ['rerank', /rerank/],
  ['moderations', /moderation/],
  ['embeddings', /embed|\b(bge|gte|e5|minilm|arctic-embed|voyage)\b|sentence-/],
  ['audio/transcriptions', /whisper|transcribe|\b(asr|parakeet|canary)\b/],
  ['audio/speech', /\btts\b|\b(kokoro|orpheus|bark)\b/],
  ['images/generations', /dall-e|gpt-image|imagen|stable-diffusion|\b(sdxl|sd3|flux)\b|image-gen/],
]

/** An endpoint, `chat/completions` as most models are for that. @param name the provider's own name of the model */
export function guessEndpoint(name: string): string {
  const plain = name.toLowerCase().replaceAll('_', '-')
  return kinds.find(([, words]) => words.test(plain))?.[0] ?? 'chat/completions'
}
