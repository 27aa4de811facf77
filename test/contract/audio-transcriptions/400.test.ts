/** 400 of POST /ai/v1/audio/transcriptions. */
import { badFormContract } from '#test/support/contract/bad-forms.ts'

badFormContract('audio/transcriptions')
