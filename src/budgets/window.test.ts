import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { budgetPeriods } from './budget.ts'
import { isTimeZone } from '#lib/time-zone.ts'
import { windowAt } from './window.ts'

const zones = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kolkata',
  'Pacific/Apia',
  'America/Sao_Paulo',
  'Africa/Cairo',
]
const moment = fc.integer({ min: Date.UTC(2005, 0), max: Date.UTC(2040, 0) })

describe('windows', () => {
  test('hold their moment and follow one another without gap or overlap', () => {
    fc.assert(
      fc.property(fc.constantFrom(...zones), fc.constantFrom('day', 'week', 'month'), moment, (zone, period, at) => {
        const { startsAt, endsAt } = windowAt(period, zone, at)
        if (endsAt === null) throw new Error('a calendar window ends')
        expect(startsAt <= at && at < endsAt).toBe(true)
        expect(windowAt(period, zone, startsAt)).toEqual({ startsAt, endsAt })
        expect(windowAt(period, zone, endsAt - 1)).toEqual({ startsAt, endsAt })
        expect(windowAt(period, zone, endsAt).startsAt).toBe(endsAt)
        expect(windowAt(period, zone, at)).toEqual({ startsAt, endsAt })
      }),
      { numRuns: 300 },
    )
  })

  test('are those of the calendar', () => {
    const at = Date.parse('2026-03-29T12:00:00Z')
    const window = (period: (typeof budgetPeriods)[number], zone: string) => {
      const { startsAt, endsAt } = windowAt(period, zone, at)
      return [new Date(startsAt).toISOString(), endsAt === null ? null : new Date(endsAt).toISOString()]
    }
    expect(window('month', 'UTC')).toEqual(['2026-03-01T00:00:00.000Z', '2026-04-01T00:00:00.000Z'])
    // The clocks are put forward on this day: it has 23 hours.
    expect(window('day', 'Europe/Berlin')).toEqual(['2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z'])
    expect(window('week', 'Europe/Berlin')).toEqual(['2026-03-22T23:00:00.000Z', '2026-03-29T22:00:00.000Z'])
    expect(window('total', 'UTC')).toEqual(['1970-01-01T00:00:00.000Z', null])
  })

  test('end with the year, in each zone at its own moment', () => {
    for (const period of ['day', 'month'] as const) {
      const lastOf = (zone: string): string => {
        const { endsAt } = windowAt(period, zone, Date.parse('2026-12-31T12:00:00Z'))
        return new Date(endsAt ?? 0).toISOString()
      }
      expect(['UTC', 'Pacific/Kiritimati', 'Pacific/Pago_Pago', 'Asia/Kathmandu'].map(lastOf)).toEqual([
        '2027-01-01T00:00:00.000Z',
        // On that day it is New Year already.
        period === 'day' ? '2027-01-01T10:00:00.000Z' : '2027-01-31T10:00:00.000Z',
        '2027-01-01T11:00:00.000Z',
        '2026-12-31T18:15:00.000Z',
      ])
    }
    const week = windowAt('week', 'UTC', Date.parse('2026-12-31T12:00:00Z'))
    expect([week.startsAt, week.endsAt].map((at) => new Date(at ?? 0).toISOString())).toEqual([
      '2026-12-28T00:00:00.000Z',
      '2027-01-04T00:00:00.000Z',
    ])
  })

  test('a day whose midnight does not exist begins at its first moment', () => {
    // Brazil put its clocks from 00:00 to 01:00 on 4 November 2018.
    const { startsAt } = windowAt('day', 'America/Sao_Paulo', Date.parse('2018-11-04T12:00:00Z'))
    expect(new Date(startsAt).toISOString()).toBe('2018-11-04T03:00:00.000Z')
  })

  test('a time zone that does not exist is known as such', () => {
    expect(['UTC', 'Europe/Berlin', 'Mars/Olympus', ''].map(isTimeZone)).toEqual([true, true, false, false])
  })
})
