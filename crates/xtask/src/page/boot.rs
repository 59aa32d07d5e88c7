//! The few lines of JavaScript that start the program; the only ones of our own.

/// Shows an error when the program cannot start, so that the page is never just empty.
const SHOW_ERROR: &str = r#"function failed(error) {
  const line = document.createElement("p");
  line.setAttribute("role", "alert");
  line.textContent = "Unwind could not start: " + error;
  document.body.prepend(line);
  throw error;
}
"#;

/// The module `boot-….js`: starts the program from files beside it. `engine_name` is the engine's module, whose
/// bytes the program gets by `unwindEngine`.
pub fn module(glue_name: &str, wasm_name: &str, engine_name: &str) -> String {
    format!(
        r#"import start from "./{glue_name}";
{SHOW_ERROR}
globalThis.unwindEngine = async () => {{
  const answer = await fetch(new URL("./{engine_name}", import.meta.url));
  if (!answer.ok) throw new Error(`the server answered ${{answer.status}}`);
  return answer.arrayBuffer();
}};
start({{ module_or_path: new URL("./{wasm_name}", import.meta.url) }}).catch(failed);
"#
    )
}

/// The lines that follow the glue in the page in one file: `packed` and `engine` are the modules of program and
/// engine, gzip then base64.
///
/// A module cannot import or fetch from `file:`, so everything stands in the file itself.
pub fn inline(packed: &str, engine: &str) -> String {
    format!(
        r#"{SHOW_ERROR}
async function unpack(text) {{
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream, {{ headers: {{ "content-type": "application/wasm" }} }}).arrayBuffer();
}}
globalThis.unwindEngine = () => unpack("{engine}");
unpack("{packed}").then((bytes) => __wbg_init({{ module_or_path: bytes }})).catch(failed);
"#
    )
}
