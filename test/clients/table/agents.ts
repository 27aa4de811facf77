/** `@openai/agents`: an agent that runs its tools itself, over both APIs. */
import { Agent, OpenAIProvider, Runner, tool, type AgentInputItem } from '@openai/agents'
import { forecast, joined, weather, type Ask, type Client, type Setup } from './client.ts'

function runnerOf({ url, apiKey }: Setup, useResponses: boolean): Runner {
  const modelProvider = new OpenAIProvider({ baseURL: `${url}/ai/v1`, apiKey, useResponses })
  return new Runner({ modelProvider, tracingDisabled: true })
}

function inputOf({ prompt, image }: Ask): AgentInputItem[] {
  const picture = { type: 'input_image' as const, image: `data:image/png;base64,${image}` }
  return [{ role: 'user', content: [{ type: 'input_text', text: prompt }, ...(image === undefined ? [] : [picture])] }]
}

function clientOf(name: string, useResponses: boolean): Client {
  const agentOf = ({ model }: Setup): Agent => new Agent({ name: 'assistant', model })
  const run = async (setup: Setup, agent: Agent, ask: Ask): Promise<string> => {
    const runner = runnerOf(setup, useResponses)
    const options = ask.signal === undefined ? {} : { signal: ask.signal }
    if (ask.streamed !== true) return (await runner.run(agent, inputOf(ask), options)).finalOutput ?? ''
    const result = await runner.run(agent, inputOf(ask), { ...options, stream: true })
    const text = await joined(result.toTextStream() as AsyncIterable<string>, ask)
    await result.completed
    return text
  }
  return {
    name,
    streams: true,
    images: true,
    say: (setup, ask) => run(setup, agentOf(setup), ask),
    loop(setup, ask) {
      const { name: called, description, input, run: execute } = weather
      const tools = [tool({ name: called, description, parameters: input, execute })]
      return run(setup, new Agent({ name: 'assistant', model: setup.model, tools }), ask)
    },
    async shape(setup, prompt) {
      const agent = new Agent({ name: 'assistant', model: setup.model, outputType: forecast })
      return (await runnerOf(setup, useResponses).run(agent, prompt)).finalOutput
    },
  }
}

export const agentsChat: Client = clientOf('`@openai/agents`, chat completions', false)

export const agentsResponses: Client = {
  ...clientOf('`@openai/agents` in its defaults', true),
  async continue(setup, prompts) {
    const agent = new Agent({ name: 'assistant', model: setup.model })
    let previousResponseId: string | undefined
    let text = ''
    for (const prompt of prompts) {
      const options = previousResponseId === undefined ? {} : { previousResponseId }
      const result = await runnerOf(setup, true).run(agent, prompt, options)
      previousResponseId = result.lastResponseId
      text = result.finalOutput ?? ''
    }
    return text
  },
}
