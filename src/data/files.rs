//! Files that are dropped, pasted or picked: their name and bytes.

use leptos::prelude::{document, window};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{DataTransfer, File, FileList, HtmlInputElement};

/// Largest file that is read, in bytes.
pub const SIZE_MAX: f64 = 64.0 * 1024.0 * 1024.0;

/// One file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// Its name.
    pub name: String,
    /// Its bytes, or why they could not be read.
    pub bytes: Result<Vec<u8>, String>,
}

/// Reads all files of a list, in its order.
pub async fn read_all(files: FileList) -> Vec<Dropped> {
    let mut read = Vec::new();
    for i in 0..files.length() {
        if let Some(file) = files.get(i) {
            read.push(read_one(&file).await);
        }
    }
    read
}

async fn read_one(file: &File) -> Dropped {
    let name = file.name();
    if file.size() > SIZE_MAX {
        let bytes = Err("it is larger than 64 MiB".to_owned());
        return Dropped { name, bytes };
    }
    let bytes = match JsFuture::from(file.array_buffer()).await {
        Ok(buffer) => Ok(js_sys::Uint8Array::new(&buffer).to_vec()),
        Err(_) => Err("the browser could not read it".to_owned()),
    };
    Dropped { name, bytes }
}

/// The files of a drop or paste, if there are any.
pub fn files_of(transfer: Option<DataTransfer>) -> Option<FileList> {
    transfer?.files().filter(|files| files.length() > 0)
}

/// Opens the browser's file dialog and calls `then` with what was picked.
pub fn pick(then: impl FnOnce(FileList) + 'static) {
    let Some(input) = document()
        .create_element("input")
        .ok()
        .and_then(|element| element.dyn_into::<HtmlInputElement>().ok())
    else {
        return;
    };
    input.set_type("file");
    input.set_multiple(true);
    let picked = input.clone();
    let changed = Closure::once_into_js(move || {
        if let Some(files) = picked.files().filter(|files| files.length() > 0) {
            then(files);
        }
    });
    let _ = input.add_event_listener_with_callback("change", changed.unchecked_ref());
    input.click();
}

/// Puts `text` on the clipboard.
pub fn copy(text: &str) {
    let _ = window().navigator().clipboard().write_text(text);
}
