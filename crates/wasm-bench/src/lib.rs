//! The engine alone as a WASM module, to measure what a rehearsal costs there.
//!
//! In: a workflow as JSON, written into the room that was asked for. Out: how many nodes its run had.
//! Nothing of the page uses it.

use std::cell::RefCell;

use unwind_engine::Behaviour;
use unwind_engine::rehearse::{Rehearsal, Simulation};
use unwind_model::{Workflow, WorkflowPhase};

thread_local! {
    static TEXT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Makes room for a text of `length` bytes; its address in the module's memory.
#[expect(unsafe_code, reason = "the name is how the module's user finds it")]
#[unsafe(no_mangle)]
pub extern "C" fn room(length: usize) -> *mut u8 {
    TEXT.with_borrow_mut(|text| {
        *text = vec![0; length];
        text.as_mut_ptr()
    })
}

/// Reads the workflow in the room and rehearses it under UNWIND, from its begin to its end, with leaves that
/// end well. How many nodes there were; 0 when the text is no workflow or the run did not succeed.
#[expect(unsafe_code, reason = "the name is how the module's user finds it")]
#[unsafe(no_mangle)]
pub extern "C" fn rehearse() -> usize {
    let workflow = TEXT.with_borrow(|text| serde_json::from_slice::<Workflow>(text));
    let Ok(workflow) = workflow else { return 0 };
    let mut simulation = Simulation::new(&workflow, Rehearsal::default(), Behaviour::UNWIND);
    while simulation.advance().is_some() {}
    if simulation.run().phase() == WorkflowPhase::Succeeded { simulation.run().node_count() } else { 0 }
}
