import { HistoryStore } from '@manta/history';

/** Appends numbered versions of one object to the store until it is killed, and prints each number once it is acknowledged. */
const [file = '', first = '0'] = process.argv.slice(2);
const store = new HistoryStore(file);
for (let number = Number(first); ; number++) {
  store.append([
    {
      kind: 'version',
      uid: 'job',
      object: 'RayJob',
      namespace: 'default',
      name: 'job',
      owner: '',
      resourceVersion: String(number),
      at: number,
      document: { number },
    },
  ]);
  process.stdout.write(`${number}\n`);
}
