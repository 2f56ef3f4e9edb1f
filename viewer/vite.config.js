// One script and one style sheet that the program puts into its pages as they are.
import { readFileSync } from 'node:fs';
import { defineConfig } from 'vite';

const notice = ['three', 'uplot']
  .map((name) => {
    const version = JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8')).version;
    return `${name} ${version}\n\n${readFileSync(`node_modules/${name}/LICENSE`, 'utf8').trim()}`;
  })
  .join('\n\n');

export default defineConfig({
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    cssMinify: true,
    reportCompressedSize: false,
    lib: { entry: 'src/main.ts', formats: ['iife'], name: 'GrappleViewer', fileName: () => 'viewer.js', cssFileName: 'viewer' },
    rollupOptions: { output: { postBanner: `/*! The Grapple viewer contains:\n\n${notice}\n*/` } },
  },
});
