/** 400 of POST /ai/v1/audio/speech. */
import { badJsonContract, namesNoModel } from '#test/support/contract/endpoint-contract.ts'

badJsonContract('audio/speech', [
  namesNoModel,
  { what: 'without an input', fields: { input: undefined }, param: 'input' },
  { what: 'whose input is empty', fields: { input: '' }, param: 'input' },
])
