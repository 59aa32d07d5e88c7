//! The engine as a WASM module of its own, and the questions to it.
//!
//! Most readers look at a workflow and ask nothing; so the engine's interpreter is no part of the page's
//! program. `boot.js` knows where the module is and gives its bytes; where trunk has built the page, the module
//! lies beside it under a name of its own.

use js_sys::{Function, Object, Promise, Reflect, Uint8Array, WebAssembly};
use unwind_engine::host::{Answer, Request};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

/// Function of the window that gives a promise of the module's bytes.
const SOURCE: &str = "unwindEngine";
/// Where the module lies when there is no such function.
const BESIDE_THE_PAGE: &str = "./unwind_engine_module.wasm";

/// The module, ready to be asked.
#[derive(Clone, Debug)]
pub struct Engine {
    memory: WebAssembly::Memory,
    room: Function,
    ask: Function,
    answer: Function,
}

impl Engine {
    /// Gets the module and starts it.
    pub async fn load() -> Result<Self, String> {
        Self::start().await.map_err(|error| text_of(&error))
    }

    async fn start() -> Result<Self, JsValue> {
        let bytes = Uint8Array::new(&module_bytes().await?).to_vec();
        let both = JsFuture::from(WebAssembly::instantiate_buffer(&bytes, &Object::new())).await?;
        let instance = Reflect::get(&both, &"instance".into())?;
        let exports = instance.dyn_into::<WebAssembly::Instance>()?.exports();
        let member = |name: &str| Reflect::get(&exports, &name.into());
        Ok(Self {
            memory: member("memory")?.dyn_into()?,
            room: member("room")?.dyn_into()?,
            ask: member("ask")?.dyn_into()?,
            answer: member("answer")?.dyn_into()?,
        })
    }

    /// Asks and waits for the answer. After an error the module is in no state to be asked again.
    pub fn ask(&self, request: &Request) -> Result<Answer, String> {
        let request = serde_json::to_vec(request).map_err(|error| error.to_string())?;
        let answer = self.exchange(&request).map_err(|error| text_of(&error))?;
        serde_json::from_slice(&answer).map_err(|error| error.to_string())
    }

    fn exchange(&self, request: &[u8]) -> Result<Vec<u8>, JsValue> {
        let none = JsValue::UNDEFINED;
        let room = self.room.call1(&none, &JsValue::from_f64(request.len() as f64))?;
        self.view(&room, request.len()).copy_from(request);
        let length = self.ask.call0(&none)?.as_f64().unwrap_or_default() as usize;
        let answer = self.answer.call0(&none)?;
        Ok(self.view(&answer, length).to_vec())
    }

    /// A stretch of the module's memory; it is void once the module runs again.
    fn view(&self, at: &JsValue, length: usize) -> Uint8Array {
        let at = at.as_f64().unwrap_or_default() as u32;
        Uint8Array::new_with_byte_offset_and_length(&self.memory.buffer(), at, length as u32)
    }
}

async fn module_bytes() -> Result<JsValue, JsValue> {
    let source = Reflect::get(&js_sys::global(), &SOURCE.into())?;
    if let Ok(source) = source.dyn_into::<Function>() {
        let promise: Promise = source.call0(&JsValue::UNDEFINED)?.dyn_into()?;
        return JsFuture::from(promise).await;
    }
    let answer = gloo_net::http::Request::get(BESIDE_THE_PAGE).send().await;
    let answer = answer.map_err(|error| JsValue::from_str(&error.to_string()))?;
    if !answer.ok() {
        return Err(JsValue::from_str(&format!("{BESIDE_THE_PAGE}: {}", answer.status())));
    }
    let bytes = answer.binary().await.map_err(|error| JsValue::from_str(&error.to_string()))?;
    Ok(Uint8Array::from(&bytes[..]).into())
}

fn text_of(error: &JsValue) -> String {
    match error.dyn_ref::<js_sys::Error>() {
        Some(error) => String::from(error.message()),
        None => error.as_string().unwrap_or_else(|| format!("{error:?}")),
    }
}
