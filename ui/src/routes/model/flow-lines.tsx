/** The drawing of where requests go: a line from all of them to each component, as wide as its share. */
import { useEffect, useState, type RefObject } from 'react'
import type { RoutingForecast } from '../../api/schema.d.ts'
import styles from './flow-lines.module.css'

export interface FlowLinesProps {
  /** The list of components, of whose rows the lines lead to the middle. */
  readonly list: RefObject<HTMLElement | null>
  readonly forecast: RoutingForecast | null
  /** Ids of the components in the order of the rows. */
  readonly components: readonly string[]
}

/** Width of the line of all requests, in pixels. */
const widest = 26

/** For eyes only: the rows say the same in words. */
export function FlowLines({ list, forecast, components }: FlowLinesProps) {
  const { middles, height } = useRows(list, components)
  const byId = new Map(forecast?.components.map((each) => [each.model_id, each]))
  const start = height / 2
  return (
    <svg
      className={styles.lines}
      viewBox={`0 0 100 ${Math.max(1, height)}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {components.map((id, index) => {
        const component = byId.get(id)
        const middle = middles[index]
        if (component === undefined || forecast === null || middle === undefined) return null
        const path = `M0 ${start} C50 ${start} 50 ${middle} 100 ${middle}`
        const width = (calls: number): number => (calls === 0 ? 0 : Math.max(1.5, (widest * calls) / forecast.requests))
        return (
          <g key={id}>
            <path className={styles.served} d={path} strokeWidth={width(component.served)} />
            <path className={styles.failed} d={path} strokeWidth={Math.min(6, width(component.failures))} />
            {component.served === 0 && component.failures === 0 && <path className={styles.none} d={path} />}
          </g>
        )
      })}
    </svg>
  )
}

interface Rows {
  readonly middles: readonly number[]
  readonly height: number
}

/** Where the rows are, measured again when one of them changes its size or its place. */
function useRows(list: RefObject<HTMLElement | null>, components: readonly string[]): Rows {
  const [rows, setRows] = useState<Rows>({ middles: [], height: 0 })
  const order = components.join(' ')
  useEffect(() => {
    const element = list.current
    if (element === null) return
    const measure = (): void => {
      const middles = [...element.children].map((row) =>
        row instanceof HTMLElement ? row.offsetTop + row.offsetHeight / 2 : 0,
      )
      setRows({ middles, height: element.offsetHeight })
    }
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    for (const row of element.children) observer.observe(row)
    measure()
    return () => observer.disconnect()
  }, [list, order])
  return rows
}
