/** A provider that has a model of every kind: it makes pictures and sound, writes down, ranks, and answers chats, one of them hostile. */
import { pngFile } from '../documents/png-file.ts'
import { answer, json, stream, type Behaviour } from './upstream-behaviours.ts'
import { chatChunks, doneEvent } from './upstream-samples.ts'
import type { ReceivedRequest } from './upstream.ts'

/** A picture in base64. */
export const picture = Buffer.from(
  pngFile({ width: 4, height: 4, colourType: 2, samples: Uint8Array.from({ length: 48 }, () => 120) }),
).toString('base64')

/** The endpoints of each model. */
export const kinds: Readonly<Record<string, readonly string[]>> = {
  painter: ['images/generations', 'images/edits'],
  speaker: ['audio/speech'],
  scribe: ['audio/transcriptions', 'audio/translations'],
  ranker: ['rerank'],
  writer: ['chat/completions'],
  hostile: ['chat/completions'],
}

const hostileText = `<img src=x onerror="document.title='taken'"> [x](javascript:document.title='taken') ![y](http://evil.example/y.png)

\`\`\`html
<script>document.title='taken'</script>
\`\`\`

$\\href{javascript:alert(1)}{x}$ and $$\\frac{a}{b}$$

| a | b |
|---|---|
| $x^2$ | ~~no~~ |

- [x] done
- [ ] open
`

/** A megabyte of short paragraphs, in pieces as they come over a network. */
const longText = Array.from({ length: 64 }, () => 'a **b** `c`\n\n'.repeat(1260))

/** What the provider does with a request; the prompt and the model say which case it is. */
export function everyKind(request: ReceivedRequest): Behaviour {
  const { path } = request
  if (path.endsWith('/images/edits')) return json({ created: 1, data: [{ b64_json: picture }] })
  if (path.endsWith('/images/generations')) {
    const { stream: streamed, prompt } = request.json()
    if (prompt === 'elsewhere') return json({ created: 1, data: [{ url: 'https://images.example/1.png' }] })
    if (prompt === 'drawing') return json({ created: 1, data: [{ b64_json: btoa('<svg onload="alert(1)"/>') }] })
    if (streamed !== true) return json({ created: 1, data: [{ b64_json: picture, revised_prompt: 'A grey square' }] })
    return stream([
      { type: 'image_generation.partial_image', b64_json: picture, partial_image_index: 0 },
      { type: 'image_generation.completed', b64_json: picture },
    ])
  }
  if (path.endsWith('/audio/speech')) return answer(200, { 'Content-Type': 'text/html' }, silence())
  if (path.endsWith('/audio/translations')) return json({ text: 'Hello in English.' })
  if (path.endsWith('/audio/transcriptions')) return json({ text: 'Hello from the recording.' })
  if (path.endsWith('/rerank'))
    return json({
      results: [
        { index: 0, relevance_score: 0.1 },
        { index: 1, relevance_score: 0.7 },
        { index: 2, relevance_score: 0.9 },
      ],
    })
  const { model, messages } = request.json()
  const isLong = JSON.stringify(messages).includes('a megabyte')
  const pieces = isLong ? longText : model === 'hostile' ? [hostileText] : ['{"summary": 1}']
  const usage = { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 }
  const chunks = chatChunks({ model: String(model), pieces, usage: 'last' }).map((chunk) =>
    'usage' in chunk ? { ...chunk, usage } : chunk,
  )
  return stream([...chunks, doneEvent])
}

/** A tenth of a second of silence. */
export function silence(): Uint8Array {
  const samples = 800
  const file = Buffer.alloc(44 + samples * 2)
  file.write('RIFF', 0)
  file.writeUInt32LE(36 + samples * 2, 4)
  file.write('WAVEfmt ', 8)
  file.writeUInt32LE(16, 16)
  file.writeUInt16LE(1, 20)
  file.writeUInt16LE(1, 22)
  file.writeUInt32LE(8000, 24)
  file.writeUInt32LE(16_000, 28)
  file.writeUInt16LE(2, 32)
  file.writeUInt16LE(16, 34)
  file.write('data', 36)
  file.writeUInt32LE(samples * 2, 40)
  return file
}
