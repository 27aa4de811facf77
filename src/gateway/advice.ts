/** What clients ask for that a gateway cannot answer, and where to go instead. */

const advice: readonly (readonly [address: RegExp, text: string])[] = [
  [
    /^\/ai\/v1\/realtime\/(transcription_sessions|calls)(\/|$)/,
    'Calls by WebRTC and SIP would pass by every limit of this gateway. Connect to GET /ai/v1/realtime by WebSocket; POST /ai/v1/realtime/client_secrets makes a secret for a page.',
  ],
  [
    /^\/ai\/v1\/(assistants|threads|containers|evals|fine_tuning|videos|skills)(\/|$)/,
    'The gateway has no such objects. Conversations are at /ai/v1/conversations, files that answers can cite at /ai/v1/vector_stores and /api/v1/documents; for everything else of this kind use an API of the vendor.',
  ],
  [
    /(^|\/)v1(beta)?\/models\/[^/]+:\w+$/,
    "Google's own API is not offered here. Use a client of OpenAI or Anthropic with the base URL that ends with /ai/v1, or /ai for Anthropic's.",
  ],
  [
    /^\/api\/(chat|generate|tags|show|ps|embed|embeddings)$/,
    "Ollama's own API is not offered here. Choose a provider of the kind OpenAI in your client, with the base URL that ends with /ai/v1.",
  ],
  // The Takeoff client's.
  [
    /^\/chat_template\/./,
    'The chat template of a model is with its server, which applies it to the messages of POST /ai/v1/chat/completions. Send the messages there.',
  ],
  [
    /^\/reader(\/|$)/,
    'Readers are models here. An administrator adds and removes them: in the console, with "sluice models", or with POST /admin/api/v1/models.',
  ],
  [/^\/config\/./, 'The configuration of a model is with its server. GET /reader_groups lists the models.'],
  [
    /^\/partition_document(_stream)?$/,
    'Import documents with POST /api/v1/documents. GET /api/v1/document/{doc_id}/chunks then has their text.',
  ],
]

/** What to tell a client that asks for this path; null for a path of no known client. */
export function adviceFor(path: string): string | null {
  return advice.find(([address]) => address.test(path))?.[1] ?? null
}
