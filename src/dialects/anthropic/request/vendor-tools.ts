/**
 * Tools of Anthropic's that have a type and no schema, because its models know them. Those that the client runs are
 * described here, so that any model can call them; those that Anthropic's servers run are left out where the request has
 * other tools, and are refused where nothing would be left.
 * Source: https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview
 */
import type { JsonObject } from '../../dialect.ts'

/** What a model is told about a tool of a known type. */
export interface VendorTool {
  readonly description: string
  readonly schema: JsonObject
}

const text = (description: string): JsonObject => ({ type: 'string', description })
const integer = (description: string): JsonObject => ({ type: 'integer', description })
const path = text('Absolute path of a file or directory')
const range = (description: string): JsonObject => ({
  type: 'array',
  items: { type: 'integer' },
  minItems: 2,
  maxItems: 2,
  description,
})

function commands(names: readonly string[], properties: JsonObject): JsonObject {
  return {
    type: 'object',
    properties: { command: { type: 'string', enum: names }, ...properties },
    required: ['command'],
  }
}

const edits = {
  path,
  view_range: range('With view: first and last line, counted from 1; -1 is the end of the file'),
  file_text: text('With create: the content of the file'),
  old_str: text('With str_replace: the text to replace, which has to occur exactly once'),
  new_str: text('With str_replace: what comes in its place'),
  insert_line: integer('With insert: the line after which the text comes; 0 is the beginning of the file'),
}

const clientTools: readonly (readonly [type: RegExp, tool: VendorTool])[] = [
  [
    /^bash_\d{8}$/,
    {
      description: 'Runs a command in a bash session that keeps its state between calls.',
      schema: {
        type: 'object',
        properties: {
          command: text('The command to run; needed unless the session is restarted'),
          restart: { type: 'boolean', description: 'True starts a new session' },
        },
      },
    },
  ],
  [
    /^text_editor_(20241022|20250124)$/,
    {
      description: 'Views, creates and edits files of text.',
      schema: commands(['view', 'create', 'str_replace', 'insert', 'undo_edit'], {
        ...edits,
        new_str: text('With str_replace: what comes in its place. With insert: the text to insert'),
      }),
    },
  ],
  [
    /^text_editor_\d{8}$/,
    {
      description: 'Views, creates and edits files of text.',
      schema: commands(['view', 'create', 'str_replace', 'insert'], {
        ...edits,
        insert_text: text('With insert: the text to insert'),
      }),
    },
  ],
  [
    /^memory_\d{8}$/,
    {
      description:
        'Keeps notes in files below /memories, which last beyond this conversation. View the directory before you begin, and write down what a later conversation needs.',
      schema: commands(['view', 'create', 'str_replace', 'insert', 'delete', 'rename'], {
        ...edits,
        path: text('Path below /memories; with every command but rename'),
        insert_text: text('With insert: the text to insert'),
        old_path: text('With rename: the path now'),
        new_path: text('With rename: the new path'),
      }),
    },
  ],
]

const serverTools = /^(web_search|web_fetch|code_execution|tool_search_tool\w*?)_\d{8}$/

/** The description of a tool that the client runs; null for a type that is not known. */
export function clientTool(type: string): VendorTool | null {
  return clientTools.find(([pattern]) => pattern.test(type))?.[1] ?? null
}

/** Whether Anthropic's servers run tools of this type. */
export function runsAtAnthropic(type: string): boolean {
  return serverTools.test(type)
}
