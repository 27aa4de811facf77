/** A first request to a model in three languages, with this server's address. */
import type { CodeSample } from '../../components/code-block.tsx'

/** @param endpoints the known endpoints of the model; undefined = unknown */
export function codeSamples(
  model: string,
  endpoints: readonly string[] | undefined,
  origin: string,
): readonly CodeSample[] {
  const embeds = endpoints !== undefined && !endpoints.includes('chat/completions') && endpoints.includes('embeddings')
  return embeds ? embeddingSamples(model, origin) : chatSamples(model, origin)
}

function chatSamples(model: string, origin: string): readonly CodeSample[] {
  const name = JSON.stringify(model)
  const body = `{"model": ${name}, "messages": [{"role": "user", "content": "Hello!"}]}`
  return [
    { language: 'curl', code: curl(`${origin}/ai/v1/chat/completions`, body) },
    {
      language: 'Python',
      code: `import os
from openai import OpenAI

client = OpenAI(base_url="${origin}/ai/v1", api_key=os.environ["SLUICE_API_KEY"])
answer = client.chat.completions.create(
    model=${name},
    messages=[{"role": "user", "content": "Hello!"}],
)
print(answer.choices[0].message.content)`,
    },
    {
      language: 'TypeScript',
      code: `import OpenAI from 'openai'

const client = new OpenAI({ baseURL: '${origin}/ai/v1', apiKey: process.env.SLUICE_API_KEY })
const answer = await client.chat.completions.create({
  model: ${name},
  messages: [{ role: 'user', content: 'Hello!' }],
})
console.log(answer.choices[0]?.message.content)`,
    },
  ]
}

function embeddingSamples(model: string, origin: string): readonly CodeSample[] {
  const name = JSON.stringify(model)
  return [
    { language: 'curl', code: curl(`${origin}/ai/v1/embeddings`, `{"model": ${name}, "input": "Hello!"}`) },
    {
      language: 'Python',
      code: `import os
from openai import OpenAI

client = OpenAI(base_url="${origin}/ai/v1", api_key=os.environ["SLUICE_API_KEY"])
answer = client.embeddings.create(model=${name}, input="Hello!")
print(answer.data[0].embedding)`,
    },
    {
      language: 'TypeScript',
      code: `import OpenAI from 'openai'

const client = new OpenAI({ baseURL: '${origin}/ai/v1', apiKey: process.env.SLUICE_API_KEY })
const answer = await client.embeddings.create({ model: ${name}, input: 'Hello!' })
console.log(answer.data[0]?.embedding)`,
    },
  ]
}

function curl(address: string, body: string): string {
  const quoted = body.replaceAll("'", String.raw`'\''`)
  return `curl ${address} \\
  -H "Authorization: Bearer $SLUICE_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '${quoted}'`
}
