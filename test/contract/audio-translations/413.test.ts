/** 413 of POST /ai/v1/audio/translations. */
import { largeFormContract } from '#test/support/contract/bad-forms.ts'

largeFormContract('audio/translations')
