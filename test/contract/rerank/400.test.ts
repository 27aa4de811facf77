/** 400 of POST /ai/v1/rerank. */
import { badJsonContract, namesNoModel } from '#test/support/contract/endpoint-contract.ts'

badJsonContract('rerank', [
  namesNoModel,
  { what: 'without a query', fields: { query: undefined }, param: 'query' },
  { what: 'without documents', fields: { documents: null }, param: 'documents' },
])
