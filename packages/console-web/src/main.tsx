import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { takeKeyFromUrl } from './live/session-key.ts';

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no element with the id "root"');
takeKeyFromUrl();
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
