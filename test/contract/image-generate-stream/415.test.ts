/** 415 of POST /image_generate_stream: no form, or no image. */
import { contract415 } from '#test/support/contract/generation-images.ts'

contract415('image_generate_stream')
