/** The spans of time that the overview can show. */

export const spanOptions = {
  hour: { label: 'Last hour', before: 'the hour before', spanMs: 3_600_000, bucket: 'minute', bucketMs: 60_000 },
  day: { label: 'Last 24 hours', before: 'the day before', spanMs: 86_400_000, bucket: 'hour', bucketMs: 3_600_000 },
  week: {
    label: 'Last 7 days',
    before: 'the week before',
    spanMs: 7 * 86_400_000,
    bucket: 'hour',
    bucketMs: 3_600_000,
  },
  month: {
    label: 'Last 30 days',
    before: 'the 30 days before',
    spanMs: 30 * 86_400_000,
    bucket: 'day',
    bucketMs: 86_400_000,
  },
} as const
