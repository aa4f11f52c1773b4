import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Everything is bundled: the page loads nothing from elsewhere, and the server's policy forbids inline scripts. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  build: { outDir: 'dist', emptyOutDir: true, assetsInlineLimit: 0, modulePreload: { polyfill: false } },
});
