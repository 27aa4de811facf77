/** 400 of POST /ai/v1/images/generations. */
import { badJsonContract, namesNoModel } from '#test/support/contract/endpoint-contract.ts'

badJsonContract('images/generations', [
  namesNoModel,
  { what: 'without a prompt', fields: { prompt: undefined }, param: 'prompt' },
  { what: 'whose prompt is a list', fields: { prompt: ['a'] }, param: 'prompt' },
])
