import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { lastScript, toolPath, wrapVariables } from './enter-container.ts';

const ENV = {
  PATH: '/usr/bin:/bin',
  LD_PRELOAD: '',
  EMPTY: '',
  'odd.name': 'a b',
  UID: '7',
  IFS: ':',
  TEXT: `two\nlines, 'quotes' and "$HOME"`,
};

describe('variables of a container', () => {
  it('travel under names that mean nothing to the tools that build it', () => {
    const names = Object.keys(wrapVariables(ENV));
    expect(names.filter((name) => !name.startsWith('__manta_'))).toEqual(['PATH']);
    expect(wrapVariables({ PATH: '/evil' })['PATH']).toBe(toolPath());
  });

  it('are what they were when the command runs, in the working directory', () => {
    const args = [
      '-c',
      lastScript(''),
      '/tmp',
      process.execPath,
      '-e',
      'console.log(JSON.stringify([process.cwd(), process.env]))',
    ];
    const said = execFileSync('/bin/sh', args, { env: { ...wrapVariables(ENV) } }).toString();
    const [cwd, { PWD: _, OLDPWD: __, SHLVL: ___, ...env }] = JSON.parse(said);
    expect([cwd, env]).toEqual(['/tmp', expect.objectContaining(ENV)]);
    expect(Object.keys(env).filter((name) => name.startsWith('__manta_'))).toEqual([]);
  });
});

describe('path of the tools', () => {
  it('has absolute folders only, the system’s always among them', () => {
    expect(toolPath('.:bin::/opt/tools/bin').split(':')).toEqual([
      '/opt/tools/bin',
      '/usr/local/sbin',
      '/usr/local/bin',
      '/usr/sbin',
      '/usr/bin',
      '/sbin',
      '/bin',
    ]);
  });
});
