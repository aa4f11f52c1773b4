import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pipVariables } from './pip-variables.ts';

const PROXY = 'http://10.0.0.1:3128';

describe('pip in a pod', () => {
  it('knows what pip on this machine was told, but goes out through the proxy', () => {
    const env = { PIP_INDEX_URL: 'http://index/simple', PIP_PROXY: 'http://other', PATH: '/bin', HOME: '/nowhere' };
    expect(pipVariables(env, PROXY)).toEqual({ PIP_INDEX_URL: 'http://index/simple', PIP_PROXY: PROXY });
  });

  it("finds the user's own configuration", () => {
    const home = mkdtempSync(join(tmpdir(), 'pip-home-'));
    mkdirSync(join(home, '.config/pip'), { recursive: true });
    const file = join(home, '.config/pip/pip.conf');
    writeFileSync(file, '');
    expect(pipVariables({ HOME: home }, PROXY)).toEqual({ PIP_CONFIG_FILE: file, PIP_PROXY: PROXY });
    rmSync(home, { recursive: true });
  });
});
