// A stand-in for a real Argo Server with the page beside it under one origin, as behind one ingress.
//
// It gives the answers that a real server (v4.1.2) was recorded to give: JSON for the API, whole objects in the
// watch, framed `data: … \n\n\n`, 501 for what the API does not know, and 200 with HTML for every other path.

import { createServer } from "node:http";
import { dist, fileFor, listen } from "./static-server.mjs";

const VERSION = {
  version: "v4.1.2", buildDate: "2026-08-21T00:00:00Z", gitCommit: "f016ad89eb", gitTag: "v4.1.2",
  gitTreeState: "clean", goVersion: "go1.26.8", compiler: "gc", platform: "linux/amd64",
};
const HTML = "<!doctype html><html><head><base href=\"/\"><title>Argo</title></head><body></body></html>\n";

/**
 * Starts it with `states`, the states of one workflow in order, at the first one. `advance()` goes to the next
 * state and sends it to every watch. `calls` collects `METHOD path` of each request to the API.
 */
export async function startArgo(states) {
  let at = 0;
  const watches = new Set();
  const calls = [];
  const current = () => states[at];

  const server = createServer(async (request, response) => {
    const url = new URL(request.url, "http://localhost");
    if (url.pathname.startsWith("/api/")) {
      calls.push(`${request.method} ${url.pathname}`);
      answer(request, response, url);
      return;
    }
    const file = await fileFor(dist(), url.pathname);
    response.writeHead(200, { "content-type": file?.type ?? "text/html; charset=utf-8" }).end(file?.body ?? HTML);
  });

  function answer(request, response, url) {
    const { namespace, name } = current().metadata;
    const [collection, space, id, verb] = url.pathname.replace("/api/v1/", "").split("/");
    const here = !space || space === namespace;
    if (request.method === "GET" && collection === "version") return json(response, 200, VERSION);
    if (request.method === "GET" && collection === "info") return json(response, 200, { links: [], modals: {}, columns: [] });
    if (request.method === "GET" && collection === "userinfo") return json(response, 200, {});
    if (request.method === "GET" && collection === "workflow-events") return watch(response, here, url);
    if (collection !== "workflows") return json(response, 501, { code: 12, message: "Not Implemented" });
    if (request.method === "GET" && !id) return list(response, here);
    if (id !== name || !here) return json(response, 404, { code: 5, message: `workflows.argoproj.io "${id}" not found` });
    if (request.method === "GET" && verb === "log") return response.writeHead(200, { "content-type": "text/event-stream" }).end();
    if (request.method === "GET" && !verb) return json(response, 200, current());
    if (request.method === "PUT" && verb === "stop") {
      json(response, 200, current());
      return advance();
    }
    return json(response, 501, { code: 12, message: "Not Implemented" });
  }

  function list(response, here) {
    const metadata = { resourceVersion: current().metadata.resourceVersion };
    json(response, 200, { metadata, items: here ? [current()] : null });
  }

  function watch(response, here, url) {
    response.writeHead(200, { "content-type": "text/event-stream", "x-content-type-options": "nosniff" });
    response.flushHeaders();
    if (!here) return;
    const send = (type) => response.write(frame(type, current()));
    const since = url.searchParams.get("listOptions.resourceVersion");
    if (!since || Number(since) < Number(current().metadata.resourceVersion)) send("ADDED");
    watches.add(send);
    response.on("close", () => watches.delete(send));
  }

  function advance() {
    if (at + 1 >= states.length) return false;
    at += 1;
    for (const send of watches) send("MODIFIED");
    return true;
  }

  const listening = await listen(server);
  return { ...listening, advance, calls, watchers: () => watches.size };
}

function frame(type, object) {
  return `data: ${JSON.stringify({ result: { type, object } })} \n\n\n`;
}

function json(response, status, body) {
  response.writeHead(status, {
    "content-type": "application/json",
    "grpc-metadata-content-type": "application/grpc",
    "grpc-metadata-argo-version": VERSION.version,
  });
  response.end(JSON.stringify(body));
}
