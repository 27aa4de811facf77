/** Keeps the end of a conversation in view while it grows, unless the reader has scrolled up. Shows nothing itself. */
import { useEffect, useRef } from 'react'

export interface FollowEndProps {
  /** How many questions there are. Another one brings the reader to the end. */
  readonly count: number
  readonly running: boolean
}

/** How near to the end a reader follows it. */
const nearPx = 48
/** The last of an answer may be drawn a moment after it is complete. */
const lastDrawnMs = 1000

export function FollowEnd({ count, running }: FollowEndProps) {
  const follows = useRef(true)
  const shownCount = useRef(count)
  const until = useRef(0)
  useEffect(() => {
    until.current = running ? Number.POSITIVE_INFINITY : Math.min(until.current, performance.now() + lastDrawnMs)
  }, [running])
  useEffect(() => {
    if (count > shownCount.current) {
      follows.current = true
      scrollToEnd()
    }
    shownCount.current = count
  }, [count])
  useEffect(() => {
    const onScroll = (): void => {
      const { scrollHeight, clientHeight, scrollTop } = document.documentElement
      follows.current = scrollHeight - clientHeight - scrollTop < nearPx
    }
    const observer = new ResizeObserver(() => {
      if (follows.current && performance.now() < until.current) scrollToEnd()
    })
    observer.observe(document.body)
    window.addEventListener('scroll', onScroll, { passive: true })
    return () => {
      observer.disconnect()
      window.removeEventListener('scroll', onScroll)
    }
  }, [])
  return null
}

function scrollToEnd(): void {
  window.scrollTo({ top: document.documentElement.scrollHeight })
}
