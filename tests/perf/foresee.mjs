// What predictions cost in WASM: `node foresee.mjs MODULE RUN.json…`, processor time of this process, the median of
// three fresh modules, for runs under way: reading the request alone, predicting a stop, foreseeing what Argo 4.1.2
// does with it.

import { readFile } from "node:fs/promises";
import { basename } from "node:path";

const RUNS = 3;

const [module, ...runs] = process.argv.slice(2);
if (!module || runs.length === 0) {
  console.error("usage: node foresee.mjs MODULE RUN.json…");
  process.exit(2);
}

/** One request as the page makes it; its answer, and what it cost in ms. */
function ask(instance, request) {
  const { memory, room, ask, answer } = instance.exports;
  const before = process.cpuUsage();
  const bytes = Buffer.from(request);
  // Making room may move the memory.
  const at = room(bytes.length);
  new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
  const length = ask();
  const text = Buffer.from(memory.buffer, answer(), length).toString();
  const spent = process.cpuUsage(before);
  return { text, ms: (spent.user + spent.system) / 1000 };
}

const median = (times) => times.sort((a, b) => a - b)[times.length >> 1].toFixed(1);

const bytes = await readFile(module);
const head = ["nodes", "reading", "predict", "again", "foresee", "again"].map((text) => text.padStart(9)).join("");
console.log(`${"run".padEnd(20)}${head}`);
for (const file of runs) {
  const workflow = await readFile(file, "utf8");
  const times = { reading: [], predict: [], predictAgain: [], foresee: [], foreseeAgain: [] };
  for (let run = 0; run < RUNS; run += 1) {
    const { instance } = await WebAssembly.instantiate(bytes, {});
    const predict = `{"ask":"predict","workflow":${workflow},"way":"Stop"}`;
    const foresee = `{"ask":"foresee","version":"4.1.2","way":"Stop"}`;
    const steps = [
      // A way that nobody knows is refused once everything has been read.
      ["reading", `{"ask":"predict","workflow":${workflow},"way":"Nowhere"}`, "refused"],
      ["predict", predict, "predicted"],
      ["predictAgain", predict, "predicted"],
      ["foresee", foresee, "foreseen"],
      ["foreseeAgain", foresee, "foreseen"],
    ];
    for (const [name, request, expected] of steps) {
      const { text, ms } = ask(instance, request);
      if (JSON.parse(text).answer !== expected) {
        console.error(`${file}: ${name} was answered ${text.slice(0, 300)}`);
        process.exit(1);
      }
      times[name].push(ms);
    }
  }
  const nodes = Object.keys(JSON.parse(workflow).status.nodes).length;
  const cells = [nodes, ...Object.values(times).map(median)].map((cell) => String(cell).padStart(9)).join("");
  console.log(`${basename(file, ".json").padEnd(20)}${cells}`);
}
