//! The graph as a file.

use unwind_layout::{Direction, layout};
use unwind_present::graph::{Folding, paint, structure};
use unwind_present::study::Study;
use unwind_present::svg::{Drawing, Theme, svg};

use crate::kit::{self, at, seed, stopped};

fn drawn(study: &Study, theme: Theme) -> String {
    let structure = structure(&study.roster, &study.workflow, &Folding::default(), Direction::TopDown);
    let layout = layout(&structure.request);
    let picture = paint(&structure, study, None);
    let caption = "seed-nested-dag & <others>";
    svg(&Drawing {
        structure: &structure,
        layout: &layout,
        picture: &picture,
        now: at(300.0),
        theme,
        caption,
    })
}

#[test]
fn the_file_holds_every_name_and_one_kink() {
    let study = seed(kit::TABLE_15088, &stopped(242.0));
    let file = drawn(&study, Theme::Light);
    for name in ["level1", "level2", "stopped-job", "level2.onExit", "never ran", "left Running"] {
        assert!(file.contains(&format!(">{name}<")), "{name} is missing");
    }
    assert!(file.contains("seed-nested-dag &amp; &lt;others&gt;"));
    assert_eq!(file, drawn(&study, Theme::Light));
    assert_ne!(file, drawn(&study, Theme::Dark));
    let opened = file.matches("<g ").count();
    assert_eq!(opened, file.matches("</g>").count());
}
