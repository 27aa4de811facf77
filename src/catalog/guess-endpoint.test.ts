import { expect, test } from 'bun:test'
import { guessEndpoint } from './guess-endpoint.ts'

const names: Readonly<Record<string, readonly string[]>> = {
  'chat/completions': [
    'gpt-4o',
    'gpt-5-mini',
    'claude-sonnet-4-5',
    'llama3.2:1b',
    'Qwen/Qwen3-32B',
    'mistral-large-latest',
    'google/gemma-3-4b',
    'deepseek-r1',
    'llava:7b',
    'gpt-4o-audio-preview',
    'phi-4',
    '',
  ],
  embeddings: [
    'text-embedding-3-small',
    'nomic-embed-text:latest',
    'BAAI/bge-m3',
    'intfloat/multilingual-e5-large',
    'Qwen/Qwen3-Embedding-0.6B',
    'thenlper/gte-base',
    'sentence-transformers/all-MiniLM-L6-v2',
    'jina-embeddings-v3',
    'mxbai-embed-large',
    'voyage-3',
  ],
  rerank: ['BAAI/bge-reranker-v2-m3', 'rerank-v3.5', 'jina-reranker-v2-base-multilingual', 'Qwen/Qwen3-Reranker-8B'],
  moderations: ['omni-moderation-latest', 'text-moderation-stable'],
  'audio/transcriptions': [
    'whisper-1',
    'openai/whisper-large-v3',
    'gpt-4o-mini-transcribe',
    'nvidia/parakeet-tdt-0.6b',
  ],
  'audio/speech': ['tts-1-hd', 'gpt-4o-mini-tts', 'hexgrad/Kokoro-82M', 'canopylabs/orpheus-v1-english'],
  'images/generations': [
    'dall-e-3',
    'gpt-image-1',
    'imagen-4.0-generate-001',
    'black-forest-labs/FLUX.1-schnell',
    'stabilityai/stable-diffusion-3.5-large',
    'stabilityai/sdxl-turbo',
  ],
}

test.each(Object.entries(names).flatMap(([endpoint, each]) => each.map((name) => [name, endpoint] as const)))(
  '“%s” is for %s',
  (name, endpoint) => expect(guessEndpoint(name)).toBe(endpoint),
)
