// A plain static file server below a path, as any web host is one: no fallback, no rewriting.

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".wasm": "application/wasm",
  ".svg": "image/svg+xml",
  ".json": "application/json",
  ".webmanifest": "application/manifest+json",
};

/** The page's folder. */
export function dist() {
  const folder = process.env.UNWIND_DIST;
  if (!folder) throw new Error("UNWIND_DIST is not set: run `cargo xtask browser`");
  return folder;
}

/** Bytes and content type of the file that a path below `folder` names; undefined when there is none. */
export async function fileFor(folder, path) {
  const name = normalize(decodeURIComponent(path)).replace(/^[/\\]+/, "");
  if (name.split(/[/\\]/).includes("..")) return undefined;
  const file = name === "" || name === "." ? "index.html" : name;
  try {
    const body = await readFile(join(folder, file));
    return { body, type: TYPES[extname(file)] ?? "application/octet-stream" };
  } catch {
    return undefined;
  }
}

/** Serves `folder` below `prefix` (with slashes at both ends) on a free loopback port. */
export async function serveFolder(folder, prefix = "/") {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    const file = pathname.startsWith(prefix) ? await fileFor(folder, pathname.slice(prefix.length)) : undefined;
    if (!file) {
      response.writeHead(404, { "content-type": "text/plain" }).end("not here\n");
      return;
    }
    response.writeHead(200, { "content-type": file.type }).end(file.body);
  });
  return listen(server, prefix);
}

/** Listens on a free loopback port; gives the address and how to end it. */
export async function listen(server, prefix = "/") {
  await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const origin = `http://127.0.0.1:${server.address().port}`;
  const stop = () =>
    new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  return { origin, url: origin + prefix, stop };
}
