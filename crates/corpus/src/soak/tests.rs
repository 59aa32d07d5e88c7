//! A few inputs of each target: the same seed gives the same, and none of them panics.

use super::{Seeds, Target};
use crate::numbers::Numbers;

#[test]
fn inputs_depend_on_seed_and_number_only() {
    let seeds = Seeds::read();
    for target in Target::ALL {
        let make = |seed, number| target.make(&seeds, &mut Numbers::of(seed, number));
        assert_eq!(make(7, 3), make(7, 3), "{}", target.name());
        let different = (0..20).filter(|number| make(7, *number) != make(8, *number)).count();
        assert!(different > 10, "{}", target.name());
    }
}

#[test]
fn seeds_of_all_kinds_are_found() {
    let seeds = Seeds::read();
    assert!(!seeds.texts.is_empty() && !seeds.documents.is_empty());
    assert!(!seeds.inputs.is_empty() && seeds.expressions.len() > 300);
}

#[test]
fn first_inputs_are_taken() {
    let seeds = Seeds::read();
    for target in Target::ALL {
        for number in 0..60 {
            target.take(&target.make(&seeds, &mut Numbers::of(1, number)));
        }
    }
}
