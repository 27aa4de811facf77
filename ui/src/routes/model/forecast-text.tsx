/** The forecast of a composite in a sentence. */
import { asApiError } from '../../api/api-error.ts'
import type { RoutingForecast } from '../../api/schema.d.ts'
import { durationText, percentText } from '../../components/format.ts'
import formStyles from './model-form.module.css'
import type { Forecast } from './use-forecast.ts'

export function ForecastText({ forecast: { data, error } }: { readonly forecast: Forecast }) {
  if (error !== null) return <p className={formStyles.note}>No forecast: {asApiError(error).message}</p>
  if (data === null) return null
  return (
    <p className={formStyles.note} role="status">
      {sentence(data)} Simulated with the server’s own routing on the health of now: ten requests a second, as if they
      began now.
    </p>
  )
}

function sentence({ requests, failed, lost_ms: lostMs, components }: RoutingForecast): string {
  const down = components.filter((each) => each.is_down).map(({ model }) => model)
  const when = down.length === 0 ? '' : `With ${down.join(' and ')} down, `
  const what =
    failed === 0
      ? 'all requests are answered'
      : failed === requests
        ? 'no request is answered'
        : `${percentText(failed / requests)} of requests fail`
  const lost = failed < requests && lostMs > 0 ? `; a request loses at most ${durationText(lostMs)} on the way` : ''
  const text = `${when}${what}${lost}.`
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
