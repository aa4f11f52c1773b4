import { createServer } from 'node:net';

/** Answers every request with the same bytes, as cheaply as can be: the backend of the router's scenario. */

const BODY = 'x'.repeat(1024);
const ANSWER = Buffer.from(
  `HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: ${BODY.length}\r\n\r\n${BODY}`,
);
const END = Buffer.from('\r\n\r\n');

const server = createServer({ noDelay: true }, (socket) => {
  let rest = Buffer.alloc(0);
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(END); end >= 0; end = rest.indexOf(END)) {
      rest = rest.subarray(end + END.length);
      socket.write(ANSWER);
    }
  });
});
server.listen(0, '127.0.0.1', () => {
  const bound = server.address();
  console.log(JSON.stringify({ port: typeof bound === 'object' ? bound?.port : 0 }));
});
