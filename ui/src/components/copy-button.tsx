/** Copies a text; says so for a moment, to eyes and to screen readers. */
import { useEffect, useState } from 'react'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'
import { toast } from './toast.tsx'

export interface CopyButtonProps {
  readonly text: string
  /** What is copied: "model name". */
  readonly what: string
  /** Shown beside the icon; only the icon when left out. */
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
      toast(`The browser does not let this page copy. Select the ${what} and copy it yourself.`)
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

/** The clipboard of the platform exists on https and localhost only; a selection can be copied everywhere. */
async function copyText(text: string): Promise<void> {
  // Typed as always there, which it is not on plain http.
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
