/** 413 of POST /ai/v1/audio/transcriptions. */
import { largeFormContract } from '#test/support/contract/bad-forms.ts'

largeFormContract('audio/transcriptions')
