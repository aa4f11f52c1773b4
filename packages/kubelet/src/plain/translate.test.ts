import { describe, expect, it } from 'vitest';
import { type Translation, translate, translatePaths } from './translate.ts';

const translation: Translation = {
  hasPort: (port) => port === 6379 || port === 52_365,
  realPort: (port) => port + 100,
  paths: [
    ['/home/ray/code', '/data/pods/1/volumes/code'],
    ['/home/ray', '/data/pods/1/home'],
    ['/data', '/claims/7'],
  ],
  nameOf: (address) => (address === '10.0.0.7' ? 'a.b.svc' : undefined),
  doorOf: async (name, port) => ({ host: '127.77.0.1', port: port + name.length }),
};

describe('what a command says', () => {
  const cases: Readonly<Record<string, readonly [said: string, meant: string]>> = {
    'a Service by its full name': ['--address=a-svc.ns.svc.cluster.local:6379', '--address=127.77.0.1:6405'],
    'a Service without the domain': ['http://a.b.svc:80/x', 'http://127.77.0.1:87/x'],
    'a Service by its address': ['tcp://10.0.0.7:80 1.10.0.0.7:80', 'tcp://127.77.0.1:87 1.10.0.0.7:80'],
    'an address that is no Service’s': ['10.0.0.8:80', '10.0.0.8:80'],
    'a Service twice': ['a.b.svc:80 a.b.svc:80', '127.77.0.1:87 127.77.0.1:87'],
    'a port of its own': ['wget localhost:52365/x 127.0.0.1:6379', 'wget localhost:52465/x 127.0.0.1:6479'],
    'a port that is nobody’s': ['localhost:9999', 'localhost:9999'],
    'another name with a port': ['example.com:6379', 'example.com:6379'],
    'a folder, the innermost first': ['python /home/ray/code/x.py', 'python /data/pods/1/volumes/code/x.py'],
    'a folder that only begins the same': ['/home/ray/codes /home/raymond', '/data/pods/1/home/codes /home/raymond'],
    'a part of another path': ['/my/data', '/my/data'],
    'what is real already': ['/data/pods/1/home/x', '/data/pods/1/home/x'],
  };
  it.each(Object.entries(cases))('has %s replaced by what stands for it, or left', async (_, [said, meant]) => {
    expect(await translate(said, translation)).toBe(meant);
  });

  it('has its own ports on the pod’s address where they are not found on the loopback', async () => {
    const own = { ...translation, local: '127.77.0.2' };
    expect(await translate('wget localhost:52365/x localhost:9999', own)).toBe(
      'wget 127.77.0.2:52465/x localhost:9999',
    );
  });

  it('stays as it is where there are no folders', () => {
    expect(translatePaths('/home/ray', [])).toBe('/home/ray');
  });
});
