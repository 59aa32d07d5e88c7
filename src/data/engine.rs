//! The engine as a WASM module in a worker of its own, and the questions to it.
//!
//! Most readers look at a workflow and ask nothing; so the engine's interpreter is no part of the page's
//! program. `boot.js` knows where the module is and gives its bytes; where trunk has built the page, the module
//! lies beside it under a name of its own. The worker's few lines come with the program, as a Blob: a page that
//! was opened from disk cannot start a worker from a file.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use js_sys::{Array, Function, JsString, Promise, Reflect, Uint8Array};
use unwind_engine::host::{Answer, Request};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, BlobPropertyBag, Event, MessageEvent, Url, Worker};

/// What the worker does. In: first the module's bytes, then requests as bytes. Out, in the same order: null once
/// the module is ready, the answer's bytes, or a text that says why there is none.
const WORKER: &str = include_str!("engine_worker.js");
/// Function of the window that gives a promise of the module's bytes.
const SOURCE: &str = "unwindEngine";
/// Where the module lies when there is no such function.
const BESIDE_THE_PAGE: &str = "./unwind_engine_module.wasm";

/// The module, ready to be asked. The worker ends with the last handle.
#[derive(Clone)]
pub struct Engine {
    link: Rc<Link>,
}

/// The worker and who waits for its answers.
struct Link {
    worker: Worker,
    waiting: Rc<RefCell<VecDeque<Waiting>>>,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(Event)>,
}

/// How a promise is kept or broken.
struct Waiting {
    resolve: Function,
    reject: Function,
}

impl Engine {
    /// Gets the module and starts it.
    pub async fn load() -> Result<Self, String> {
        Self::start().await.map_err(|error| text_of(&error))
    }

    async fn start() -> Result<Self, JsValue> {
        let bytes = module_bytes().await?;
        let engine = Self { link: Rc::new(Link::new()?) };
        JsFuture::from(engine.link.send(&bytes)?).await?;
        Ok(engine)
    }

    /// Asks; requests are answered one after the other in the order in which this was called. After an error
    /// the module is in no state to be asked again.
    pub fn ask(&self, request: &Request) -> impl Future<Output = Result<Answer, String>> + use<> {
        let sent = serde_json::to_vec(request).map_err(|error| error.to_string());
        let link = Rc::clone(&self.link);
        let sent = sent.and_then(|bytes| {
            link.send(&Uint8Array::from(&bytes[..]).buffer()).map_err(|error| text_of(&error))
        });
        async move {
            let answer = JsFuture::from(sent?).await.map_err(|error| text_of(&error))?;
            drop(link);
            serde_json::from_slice(&Uint8Array::new(&answer).to_vec()).map_err(|error| error.to_string())
        }
    }
}

impl Link {
    fn new() -> Result<Self, JsValue> {
        let options = BlobPropertyBag::new();
        options.set_type("text/javascript");
        let text = Array::of1(&WORKER.into());
        let address =
            Url::create_object_url_with_blob(&Blob::new_with_str_sequence_and_options(&text, &options)?)?;
        let worker = Worker::new(&address);
        Url::revoke_object_url(&address)?;
        let worker = worker?;
        let waiting = Rc::new(RefCell::new(VecDeque::<Waiting>::new()));
        let for_answers = Rc::clone(&waiting);
        let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            let data = event.data();
            if data.is_string() {
                reject_all(&for_answers, &data);
                return;
            }
            let first = for_answers.borrow_mut().pop_front();
            if let Some(first) = first {
                let _ = first.resolve.call1(&JsValue::UNDEFINED, &data);
            }
        });
        let for_errors = Rc::clone(&waiting);
        let on_error = Closure::<dyn FnMut(Event)>::new(move |event: Event| {
            let message = Reflect::get(&event, &"message".into()).ok().filter(JsValue::is_string);
            reject_all(&for_errors, &message.unwrap_or_else(|| "its worker could not be started".into()));
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        Ok(Self { worker, waiting, _on_message: on_message, _on_error: on_error })
    }

    /// Hands bytes (an `ArrayBuffer`) over; a promise of what comes back.
    fn send(&self, buffer: &JsValue) -> Result<Promise, JsValue> {
        self.worker.post_message_with_transfer(buffer, &Array::of1(buffer))?;
        Ok(Promise::new(&mut |resolve, reject| {
            self.waiting.borrow_mut().push_back(Waiting { resolve, reject });
        }))
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.worker.terminate();
    }
}

/// Nobody who waits gets an answer any more.
fn reject_all(waiting: &RefCell<VecDeque<Waiting>>, message: &JsValue) {
    let all = std::mem::take(&mut *waiting.borrow_mut());
    for one in all {
        let _ = one.reject.call1(&JsValue::UNDEFINED, message);
    }
}

/// The module's bytes as an `ArrayBuffer`.
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
    Ok(Uint8Array::from(&bytes[..]).buffer().into())
}

fn text_of(error: &JsValue) -> String {
    if let Some(error) = error.dyn_ref::<js_sys::Error>() {
        return String::from(error.message());
    }
    error.dyn_ref::<JsString>().map_or_else(|| format!("{error:?}"), String::from)
}
