/** Every address of the documents, for promises that all of them keep. */

export interface DocumentRoute {
  readonly method: string
  readonly path: string
  readonly body?: string
}

/** The addresses below a document. */
export function routesOf(id: string): readonly DocumentRoute[] {
  const path = `/api/v1/document/${id}`
  return [
    { method: 'GET', path },
    { method: 'GET', path: `${path}/chunks` },
    { method: 'GET', path: `${path}/text` },
    { method: 'GET', path: `${path}/pages/1` },
    { method: 'GET', path: `${path}/pages/1/image` },
    { method: 'GET', path: `${path}/file` },
    { method: 'POST', path: `${path}/cancel` },
    { method: 'POST', path: `${path}/retry` },
    { method: 'DELETE', path },
  ]
}

/** All of them, each as a valid request. */
export const documentRoutes: readonly DocumentRoute[] = [
  { method: 'POST', path: '/api/v1/documents', body: '{"files":[{"name":"a","category":"c","bytes":"text"}]}' },
  { method: 'GET', path: '/api/v1/documents' },
  { method: 'GET', path: '/api/v1/documents/options' },
  { method: 'POST', path: '/api/v1/search', body: '{"query":"text"}' },
  ...routesOf('00000000-0000-4000-8000-000000000000'),
]
