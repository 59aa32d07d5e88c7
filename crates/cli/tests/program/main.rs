//! The program itself, as a process: what it prints, how it ends.

mod docs;
mod documents;
mod process;
mod run;
mod serve;
mod witnesses;
