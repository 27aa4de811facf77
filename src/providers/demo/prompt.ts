/** The size of a chat prompt in tokens, and prompts that arrive as token ids. */
import { DemoProblem } from './problem.ts'
import { textOfMessage, type ChatRequest, type TextInput } from './request.ts'
import { countTokens, textOfTokens } from '#lib/tokens/tokens.ts'

/**
 * What chat models put around the text of a request, as OpenAI documents it for its models
 * (https://cookbook.openai.com/examples/how_to_count_tokens_with_tiktoken).
 */
const tokensPerMessage = 3
const tokensPerName = 1
const tokensOfAnswerStart = 3
/** What OpenAI counts for a picture in low detail, whatever its size. */
const tokensPerPicture = 85

/** Tokens of messages, pictures and tool definitions. */
export async function chatPromptTokens({ messages, tools }: ChatRequest, pictures: number): Promise<number> {
  let total = tokensOfAnswerStart + pictures * tokensPerPicture
  const texts: string[] = []
  for (const message of messages) {
    total += tokensPerMessage + (message.name ? tokensPerName : 0)
    texts.push(message.role, textOfMessage(message), message.name ?? '')
    if (message.tool_calls?.length) texts.push(JSON.stringify(message.tool_calls))
  }
  if (tools?.length) texts.push(JSON.stringify(tools))
  for (const tokens of await countTokens(texts)) total += tokens
  return total
}

/** One or many inputs, given as text or as token ids, as a list of texts. Throws a DemoProblem for an unknown token. */
export async function textsOf(input: TextInput, param: string): Promise<readonly string[]> {
  if (typeof input === 'string') return [input]
  const texts: string[] = []
  for (const item of itemsOf(input)) {
    const text = typeof item === 'string' ? item : await textOfTokens(item)
    if (text === undefined) throw new DemoProblem('A token id is not in the vocabulary o200k_base.', param)
    texts.push(text)
  }
  return texts
}

/** A flat list of numbers is one input; any other list is many. */
function itemsOf(input: Exclude<TextInput, string>): readonly (string | number[])[] {
  const numbers = input.filter((item) => typeof item === 'number')
  return numbers.length > 0 ? [numbers] : (input as readonly (string | number[])[])
}
