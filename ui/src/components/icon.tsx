/** The icons, drawn on a 16 px grid. Each is next to text or on a button with a label. */

const paths = {
  brand: 'M1.8 3.5h12.4M3 3.5v9M13 3.5v9M6.3 6.5v4M9.7 6.5v4M1.8 14.2c2-1.6 4.1 1.2 6.2 0s4.1-.8 6.2 0',
  overview: 'M2.5 2.5h4.5v6h-4.5zM9 2.5h4.5v3.5h-4.5zM9 8h4.5v5.5h-4.5zM2.5 10.5h4.5v3h-4.5z',
  models: 'M8 1.8l5.5 3v6.4l-5.5 3-5.5-3v-6.4zM2.5 4.8l5.5 3 5.5-3M8 7.8v6.4',
  key: 'M10.2 9.3a3.5 3.5 0 1 0-3.4-3.4L2.5 10.2v3.3h3.3v-2h2v-1.8zM11 5h.01',
  guide: 'M8 14.2a6.2 6.2 0 1 0 0-12.4 6.2 6.2 0 0 0 0 12.4zM10.8 5.2l-1.7 3.9-3.9 1.7 1.7-3.9z',
  docs: 'M3 2.5h7l3 3v8h-10zM10 2.5v3h3M5.5 8.5h5M5.5 11h5',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  close: 'M4 4l8 8M12 4l-8 8',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.3 10.3l3.2 3.2',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  check: 'M3 8.5l3.3 3.3 6.7-7.3',
  plus: 'M8 3v10M3 8h10',
  trash: 'M2.5 4.5h11M6 4.5v-2h4v2M4 4.5l.7 9h6.6l.7-9',
  user: 'M8 8a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6zM2.8 13.8c.5-2.6 2.6-4 5.2-4s4.7 1.4 5.2 4',
  users:
    'M6 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM1.8 13.2c.4-2.3 2-3.6 4.2-3.6s3.8 1.3 4.2 3.6M10.5 3.2a2.5 2.5 0 0 1 0 4.6M12 9.9c1.2.5 2 1.6 2.3 3.3',
  chevron: 'M4.5 6.5l3.5 3.5 3.5-3.5',
  up: 'M4.5 9.5l3.5-3.5 3.5 3.5',
  grip: 'M5.5 4h1M9.5 4h1M5.5 8h1M9.5 8h1M5.5 12h1M9.5 12h1',
  play: 'M5 3.2l7.5 4.8-7.5 4.8z',
  stop: 'M4 4h8v8h-8z',
  warning: 'M8 2.2l6.2 11.3h-12.4zM8 6.5v3.2M8 11.6h.01',
  chart: 'M2.5 13.5h11M4.5 11v-4M8 11v-7.5M11.5 11v-5.5',
  table: 'M2.5 3h11v10h-11zM2.5 6.3h11M2.5 9.6h11M6.5 6.3v6.7',
  cards: 'M2.5 2.5h4.8v4.8h-4.8zM8.7 2.5h4.8v4.8h-4.8zM2.5 8.7h4.8v4.8h-4.8zM8.7 8.7h4.8v4.8h-4.8z',
  chat: 'M2.5 3h11v8h-6l-3 2.5v-2.5h-2z',
  provider: 'M2.5 3h11v4h-11zM2.5 9h11v4h-11zM5 5h.01M5 11h.01',
  settings: 'M2.5 5h6M11.5 5h2M2.5 11h2M7.5 11h6M10 3.3v3.4M6 9.3v3.4',
  upload: 'M8 10.5v-8M4.8 5.5l3.2-3.2 3.2 3.2M2.5 10.5v3h11v-3',
  download: 'M8 2.2v8M4.8 7.2l3.2 3.2 3.2-3.2M2.5 10.5v3h11v-3',
  retry: 'M13 8a5 5 0 1 1-1.6-3.7M13.2 2.2v3h-3',
  folder: 'M1.8 3.5h4.4l1.5 1.8h6.5v7.5h-12.4z',
  list: 'M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4h.01M2.5 8h.01M2.5 12h.01',
  edit: 'M10.8 2.8l2.4 2.4-7.6 7.6-3.1.7.7-3.1zM9.3 4.3l2.4 2.4',
  image: 'M2.5 3h11v10h-11zM2.5 11l3.2-3.2 2.6 2.6 2-2 3.2 3.1M10.3 6h.01',
  more: 'M2.6 8a.4.4 0 1 0 .8 0 .4.4 0 1 0-.8 0zM7.6 8a.4.4 0 1 0 .8 0 .4.4 0 1 0-.8 0zM12.6 8a.4.4 0 1 0 .8 0 .4.4 0 1 0-.8 0z',
  lock: 'M3.5 7h9v6.5h-9zM5.2 7v-2a2.8 2.8 0 0 1 5.6 0v2',
  coins:
    'M7 6.8c2.5 0 4.5-.9 4.5-2.2s-2-2.2-4.5-2.2-4.5.9-4.5 2.2 2 2.2 4.5 2.2zM2.5 4.6v6.8c0 1.3 2 2.2 4.5 2.2s4.5-.9 4.5-2.2v-6.8M2.5 8c0 1.3 2 2.2 4.5 2.2s4.5-.9 4.5-2.2',
  library: 'M3 2.5v11M6.2 2.5v11M9.3 3l3.2 10.3M1.8 13.5h12.4',
  layers: 'M8 2l6 3-6 3-6-3zM2 8l6 3 6-3M2 11l6 3 6-3',
  code: 'M5.5 4.5l-3.5 3.5 3.5 3.5M10.5 4.5l3.5 3.5-3.5 3.5',
} as const

export type IconName = keyof typeof paths

export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.4"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={paths[name]} />
    </svg>
  )
}
