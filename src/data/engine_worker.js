// The engine's module in a worker of its own, so that the page stays free while the engine works.
// In: first the module's bytes, then requests as bytes. Out, in the same order: null once the module is ready,
// the answer's bytes, or a text that says why there is none.
let engine;

onmessage = async ({ data }) => {
  try {
    if (!engine) {
      engine = (await WebAssembly.instantiate(data)).instance.exports;
      postMessage(null);
      return;
    }
    const request = new Uint8Array(data);
    const room = engine.room(request.length) >>> 0;
    new Uint8Array(engine.memory.buffer, room, request.length).set(request);
    const length = engine.ask() >>> 0;
    const from = engine.answer() >>> 0;
    const answer = engine.memory.buffer.slice(from, from + length);
    postMessage(answer, [answer]);
  } catch (error) {
    postMessage(String(error));
  }
};
