/** A button that copies text and confirms it. */
import { useEffect, useState } from 'react'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'
import { toast } from './toast.tsx'

export interface CopyButtonProps {
  readonly text: string
  /** The noun for the text: "model name". */
  readonly what: string
  /** The label beside the icon; without it, the button shows only the icon. */
  readonly children?: string
  readonly variant?: 'primary' | 'secondary' | 'quiet'
}

const confirmedMs = 2000

export function CopyButton({ text, what, children, variant = 'quiet' }: CopyButtonProps) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), confirmedMs)
    return () => clearTimeout(timer)
  }, [copied])

  async function copy(): Promise<void> {
    try {
      await copyText(text)
      setCopied(true)
      toast(`Copied the ${what}`)
    } catch {
      toast(`The browser blocked copying. Select the ${what} and copy it by hand.`)
    }
  }

  const icon = <Icon name={copied ? 'check' : 'copy'} />
  if (children === undefined) {
    return (
      <Button variant={variant} icon aria-label={`Copy ${what}`} title={`Copy ${what}`} onClick={() => void copy()}>
        {icon}
      </Button>
    )
  }
  return (
    <Button variant={variant} onClick={() => void copy()}>
      {icon}
      {children}
    </Button>
  )
}

/** Copies by the clipboard API, which exists on https and localhost only; elsewhere by a selection. */
async function copyText(text: string): Promise<void> {
  // The type says that it always exists; on plain http it does not.
  const clipboard = navigator.clipboard as Clipboard | undefined
  if (clipboard !== undefined) return clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'visually-hidden'
  const host = document.querySelector('[role=dialog]') ?? document.body
  host.append(area)
  area.select()
  const done = document.execCommand('copy')
  area.remove()
  if (!done) throw new Error('not copied')
}
