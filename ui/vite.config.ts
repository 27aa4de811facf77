/** How the console is built: only files of our own, nothing inlined, so that the strict CSP of the server holds. */
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const server = 'http://127.0.0.1:3001'

// oxlint-disable-next-line import/no-default-export -- Vite reads the default export
export default defineConfig({
  plugins: [react()],
  css: { transformer: 'lightningcss' },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2023',
  },
  // `npx vite ui` serves the sources, with the API of a running server behind them.
  server: {
    proxy: { '/admin': server, '/ai': server, '/api': server, '^/(image_)?generate': server, '/docs': server },
  },
})
