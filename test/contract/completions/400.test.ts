/** 400 of POST /ai/v1/completions. */
import { badJsonContract, namesNoModel } from '#test/support/contract/endpoint-contract.ts'

badJsonContract('completions', [
  namesNoModel,
  { what: 'whose prompt is a number', fields: { prompt: 7 }, param: 'prompt' },
  { what: 'whose stream is no boolean', fields: { stream: 'yes' }, param: 'stream' },
])
