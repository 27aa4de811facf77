/** 400 of POST /ai/v1/embeddings. */
import { badJsonContract, namesNoModel } from '#test/support/contract/endpoint-contract.ts'

badJsonContract('embeddings', [
  namesNoModel,
  { what: 'without an input', fields: { input: undefined }, param: 'input' },
  { what: 'whose input is an empty list', fields: { input: [] }, param: 'input' },
  { what: 'whose input is an object', fields: { input: { text: 'a' } }, param: 'input' },
])
