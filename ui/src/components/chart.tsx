/**
 * A chart of values over time, in a panel. A button shows the same numbers as a table. Why it is drawn by a few hundred
 * lines of SVG and not by a library: docs/decisions/charts.md.
 */
import { useState } from 'react'
import { Button } from './button.tsx'
import type { ChartProps } from './chart-props.ts'
import { ChartDrawing } from './chart-drawing.tsx'
import { valueText } from './chart-scale.ts'
import { Icon } from './icon.tsx'
import { Panel } from './panel.tsx'
import styles from './chart.module.css'
import tableStyles from './figure-table.module.css'

export function Chart(props: ChartProps) {
  const [asTable, setAsTable] = useState(false)
  return (
    <Panel
      title={props.title}
      actions={
        <Button
          variant="quiet"
          icon
          aria-pressed={asTable}
          aria-label={`${props.title} as a table`}
          title="Show as a table"
          onClick={() => setAsTable(!asTable)}
        >
          <Icon name={asTable ? 'chart' : 'table'} />
        </Button>
      }
    >
      {asTable ? <ChartTable {...props} /> : <ChartDrawing {...props} />}
    </Panel>
  )
}

function ChartTable({ title, series, points, formatValue, formatTime }: ChartProps) {
  return (
    <div className={styles.tableScroller} tabIndex={0} role="region" aria-label={`${title}, table`}>
      <table className={tableStyles.table}>
        <thead>
          <tr>
            <th scope="col">Time</th>
            {series.map(({ name }, nth) => (
              <th key={nth} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {points.map(({ at, values }) => (
            <tr key={at}>
              <th scope="row">{formatTime(at)}</th>
              {series.map((_, nth) => (
                <td key={nth}>{valueText(values[nth] ?? null, formatValue)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
