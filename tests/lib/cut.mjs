// A line that can be cut: a TCP relay in front of a server, on a port of its own.

import { connect, createServer } from "node:net";

/** Relays to `port` on loopback. `cut()` breaks every connection and refuses new ones until `mend()`. */
export async function relay(port) {
  let whole = true;
  const ends = new Set();
  const server = createServer((near) => {
    if (!whole) {
      near.destroy();
      return;
    }
    const far = connect(port, "127.0.0.1");
    for (const end of [near, far]) {
      ends.add(end);
      end.on("close", () => ends.delete(end));
      end.on("error", () => {});
    }
    near.pipe(far).pipe(near);
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const breakAll = () => {
    for (const end of ends) end.destroy();
  };
  return {
    port: server.address().port,
    cut() {
      whole = false;
      breakAll();
    },
    mend() {
      whole = true;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(resolve);
        breakAll();
      }),
  };
}
