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
