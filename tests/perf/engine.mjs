// What a rehearsal costs in WASM: `node engine.mjs MODULE MANIFEST.json…`, processor time of this process from the
// manifest's text to the text with all nodes at its end, the median of five runs.

import { readFile } from "node:fs/promises";
import { basename } from "node:path";

const RUNS = 5;

const [module, ...manifests] = process.argv.slice(2);
if (!module || manifests.length === 0) {
  console.error("usage: node engine.mjs MODULE MANIFEST.json…");
  process.exit(2);
}

/** One request as the page makes it. */
function ask(instance, request) {
  const { memory, room, ask, answer } = instance.exports;
  const bytes = Buffer.from(request);
  // Making room may move the memory.
  const at = room(bytes.length);
  new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
  const length = ask();
  return Buffer.from(memory.buffer, answer(), length).toString();
}

const bytes = await readFile(module);
console.log(`${basename(module)}: ${bytes.length} bytes`);
console.log(`${"workflow".padEnd(20)} ${"nodes".padStart(7)} ${"ms".padStart(8)} ${"MB".padStart(7)}`);
for (const manifest of manifests) {
  const text = await readFile(manifest, "utf8");
  const times = [];
  let nodes = 0;
  let memory = 0;
  for (let run = 0; run < RUNS; run += 1) {
    const { instance } = await WebAssembly.instantiate(bytes, {});
    const before = process.cpuUsage();
    ask(instance, `{"ask":"begin","workflow":${text},"rehearsal":{}}`);
    const answer = ask(instance, `{"ask":"finish"}`);
    const spent = process.cpuUsage(before);
    times.push((spent.user + spent.system) / 1000);
    memory = instance.exports.memory.buffer.byteLength / 1e6;
    const end = JSON.parse(answer);
    nodes = end.nodes?.length;
    if (end.status?.phase !== "Succeeded") {
      console.error(`${manifest}: the rehearsal did not succeed: ${answer.slice(0, 300)}`);
      process.exit(1);
    }
  }
  times.sort((a, b) => a - b);
  const name = basename(manifest, ".json").padEnd(20);
  const cells = [String(nodes).padStart(7), times[RUNS >> 1].toFixed(1).padStart(8), memory.toFixed(1).padStart(7)];
  console.log([name, ...cells].join(" "));
}
