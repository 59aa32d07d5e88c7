//! All page paths, and the history router behind them.
//!
//! In: the address of the tab. Out: a [`Route`] with its query, as a signal. Behind a server that
//! answers index.html for every route the `<base>` tag holds a path, and routes are plain addresses
//! below it; from static files or from disk routes are `#/…`. It must never fetch or decide anything.

use leptos::prelude::*;
use unwind_api::paths::{self, encode};
use wasm_bindgen::prelude::*;

/// One page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Route {
    /// Drop zone, samples, what Unwind is.
    Start,
    /// The list of workflows, of one namespace or all.
    List {
        /// Namespace; `None` for all.
        namespace: Option<String>,
    },
    /// One workflow of the server.
    Workflow {
        /// Namespace.
        namespace: String,
        /// Name.
        name: String,
    },
    /// A manifest that runs in this page.
    Rehearse,
    /// A saved run.
    File,
    /// No page has this path.
    Unknown {
        /// The path.
        path: String,
    },
}

/// A route with its query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// Which page.
    pub route: Route,
    /// View state: names and values in the order of the address.
    pub query: Vec<(String, String)>,
}

impl Address {
    /// `route` without a query.
    pub fn new(route: Route) -> Self {
        Self { route, query: Vec::new() }
    }

    /// The same address with one more query value.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.query.retain(|(key, _)| key != name);
        self.query.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The same address without this query value.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.query.retain(|(key, _)| key != name);
        self
    }

    /// A value of the query.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Reads `workflows/demo/orchard?node=…`, with or without a slash in front.
    pub fn parse(text: &str) -> Self {
        let (path, query) = text.split_once('?').unwrap_or((text, ""));
        let parts: Vec<String> = path.split('/').filter(|part| !part.is_empty()).map(decode).collect();
        let words: Vec<&str> = parts.iter().map(String::as_str).collect();
        let route = match words.as_slice() {
            [] => Route::Start,
            ["workflows"] => Route::List { namespace: None },
            ["workflows", namespace] => Route::List { namespace: Some((*namespace).to_owned()) },
            ["workflows", namespace, name] => {
                Route::Workflow { namespace: (*namespace).to_owned(), name: (*name).to_owned() }
            }
            ["rehearse"] => Route::Rehearse,
            ["file"] => Route::File,
            _ => Route::Unknown { path: path.to_owned() },
        };
        let query = query
            .split('&')
            .filter(|pair| !pair.is_empty())
            .map(|pair| {
                let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
                (decode(name), decode(value))
            })
            .collect();
        Self { route, query }
    }

    /// Writes what [`Address::parse`] reads, without a slash in front.
    pub fn text(&self) -> String {
        let mut text = match &self.route {
            Route::Start => String::new(),
            Route::List { namespace: None } => "workflows".to_owned(),
            Route::List { namespace: Some(namespace) } => format!("workflows/{}", encode(namespace)),
            Route::Workflow { namespace, name } => {
                format!("workflows/{}/{}", encode(namespace), encode(name))
            }
            Route::Rehearse => "rehearse".to_owned(),
            Route::File => "file".to_owned(),
            Route::Unknown { path } => path.trim_start_matches('/').to_owned(),
        };
        for (i, (name, value)) in self.query.iter().enumerate() {
            text.push(if i == 0 { '?' } else { '&' });
            text.push_str(&encode(name));
            if !value.is_empty() {
                text.push('=');
                text.push_str(&encode(value));
            }
        }
        text
    }
}

/// How addresses look.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Form {
    /// Plain addresses below this path, which ends with a slash.
    Path(String),
    /// `#/…` behind the page's own path.
    Hash(String),
}

/// The router: one signal that says where the tab is, and the ways to go elsewhere.
#[derive(Clone, Copy)]
pub struct Router {
    /// Where the tab is.
    pub address: RwSignal<Address>,
    form: StoredValue<Form>,
}

impl Router {
    /// Reads the address of the tab and follows it from now on.
    pub fn start() -> Self {
        let form = form_of_tab();
        let router = Self { address: RwSignal::new(address_of_tab(&form)), form: StoredValue::new(form) };
        let follow = Closure::<dyn Fn()>::new(move || {
            let now = router.form.with_value(address_of_tab);
            if router.address.with_untracked(|before| *before != now) {
                router.address.set(now);
            }
        });
        let click = Closure::<dyn Fn(web_sys::MouseEvent)>::new(move |event| router.follow_link(&event));
        for name in ["popstate", "hashchange"] {
            let _ = window().add_event_listener_with_callback(name, follow.as_ref().unchecked_ref());
        }
        let _ = document().add_event_listener_with_callback("click", click.as_ref().unchecked_ref());
        follow.forget();
        click.forget();
        router
    }

    /// The path of the API's root: where the server's own paths begin. `None` without a server's base.
    pub fn api_root(self) -> Option<String> {
        self.form.with_value(|form| match form {
            Form::Path(base) => Some(base.clone()),
            Form::Hash(_) => None,
        })
    }

    /// What to write into `href`.
    pub fn href(self, address: &Address) -> String {
        self.form.with_value(|form| match form {
            Form::Path(base) => format!("{base}{}", address.text()),
            Form::Hash(page) => format!("{page}#/{}", address.text()),
        })
    }

    /// Goes to a page, with an entry in the history.
    pub fn go(self, address: Address) {
        if self.address.with_untracked(|now| *now == address) {
            return;
        }
        self.write_history(&address, false);
        self.address.set(address);
    }

    /// Changes view state without an entry in the history.
    pub fn replace(self, address: Address) {
        if self.address.with_untracked(|now| *now == address) {
            return;
        }
        self.write_history(&address, true);
        self.address.set(address);
    }

    fn write_history(self, address: &Address, in_place: bool) {
        let url = self.href(address);
        let Ok(history) = window().history() else {
            return;
        };
        // A refusal (some browsers from disk) leaves the address bar behind; the page goes on.
        let _ = if in_place {
            history.replace_state_with_url(&JsValue::NULL, "", Some(&url))
        } else {
            history.push_state_with_url(&JsValue::NULL, "", Some(&url))
        };
    }

    /// Turns a plain click on a link of the page's own into a change of route.
    fn follow_link(self, event: &web_sys::MouseEvent) {
        let modified = event.ctrl_key() || event.meta_key() || event.shift_key() || event.alt_key();
        if event.default_prevented() || event.button() != 0 || modified {
            return;
        }
        let anchor = event
            .target()
            .and_then(|target| target.dyn_into::<web_sys::Element>().ok())
            .and_then(|element| element.closest("a[data-route]").ok().flatten());
        if let Some(route) = anchor.and_then(|anchor| anchor.get_attribute("data-route")) {
            event.prevent_default();
            self.go(Address::parse(&route));
        }
    }
}

fn form_of_tab() -> Form {
    let base = document().query_selector("base").ok().flatten().and_then(|base| base.get_attribute("href"));
    match base {
        Some(path) if path.starts_with('/') => Form::Path(path),
        _ => {
            let location = window().location();
            let page = location.pathname().unwrap_or_default() + &location.search().unwrap_or_default();
            Form::Hash(page)
        }
    }
}

fn address_of_tab(form: &Form) -> Address {
    let location = window().location();
    match form {
        Form::Path(base) => {
            let path = location.pathname().unwrap_or_default();
            let below = path.strip_prefix(base.as_str()).unwrap_or("").to_owned();
            Address::parse(&(below + &location.search().unwrap_or_default()))
        }
        Form::Hash(_) => {
            let hash = location.hash().unwrap_or_default();
            Address::parse(hash.trim_start_matches('#'))
        }
    }
}

/// Undoes percent-encoding; what is none stays as it is.
fn decode(text: &str) -> String {
    paths::decode(text).unwrap_or_else(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_address_comes_back_as_written() {
        for text in [
            "",
            "workflows",
            "workflows/demo",
            "workflows/demo/orchard?node=orchard.press%280%3Aa%20b%29&order",
            "rehearse?sample=seed-dag&stop-at=stopped-job&report",
            "file?sample=stopped-by-argo",
        ] {
            assert_eq!(Address::parse(text).text(), text);
        }
    }

    #[test]
    fn addresses_are_read_with_a_slash_in_front() {
        let address = Address::parse("/workflows/demo/orchard?q=a%20b&broken=50%");
        let route = Route::Workflow { namespace: "demo".to_owned(), name: "orchard".to_owned() };
        assert_eq!(address.route, route);
        assert_eq!(address.get("q"), Some("a b"));
        assert_eq!(address.get("broken"), Some("50%"));
        assert!(matches!(Address::parse("/a/b/c/d").route, Route::Unknown { .. }));
    }
}
