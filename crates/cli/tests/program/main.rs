//! The program itself, as a process: what it prints, how it ends.

mod documents;
mod process;
mod run;
mod serve;
