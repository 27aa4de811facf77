/** 415 of POST /ai/v1/audio/transcriptions. */
import { formTypeContract } from '#test/support/contract/bad-forms.ts'

formTypeContract('audio/transcriptions')
