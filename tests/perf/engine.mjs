// What a rehearsal costs in WASM: `node engine.mjs MODULE MANIFEST.json…`, processor time of this process,
// parsing included, the median of five runs.

import { readFile } from "node:fs/promises";
import { basename } from "node:path";

const RUNS = 5;

const [module, ...manifests] = process.argv.slice(2);
if (!module || manifests.length === 0) {
  console.error("usage: node engine.mjs MODULE MANIFEST.json…");
  process.exit(2);
}

const bytes = await readFile(module);
console.log(`${basename(module)}: ${bytes.length} bytes`);
console.log(`${"workflow".padEnd(20)} ${"nodes".padStart(7)} ${"ms".padStart(8)} ${"MB".padStart(7)}`);
for (const manifest of manifests) {
  const text = await readFile(manifest);
  const times = [];
  let nodes = 0;
  let memory = 0;
  for (let run = 0; run < RUNS; run += 1) {
    const { instance } = await WebAssembly.instantiate(bytes, {});
    const at = instance.exports.room(text.length);
    new Uint8Array(instance.exports.memory.buffer, at, text.length).set(text);
    const before = process.cpuUsage();
    nodes = instance.exports.rehearse();
    const spent = process.cpuUsage(before);
    times.push((spent.user + spent.system) / 1000);
    memory = instance.exports.memory.buffer.byteLength / 1e6;
    if (nodes === 0) {
      console.error(`${manifest}: the rehearsal did not succeed`);
      process.exit(1);
    }
  }
  times.sort((a, b) => a - b);
  const name = basename(manifest, ".json").padEnd(20);
  const cells = [String(nodes).padStart(7), times[RUNS >> 1].toFixed(1).padStart(8), memory.toFixed(1).padStart(7)];
  console.log([name, ...cells].join(" "));
}
