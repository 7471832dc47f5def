//! Reports for people have the requires in the order of the spec. `report.json` has them in one order.

use super::{code, err, fabc, out};
use crate::support::spec_text::SpecText;

#[test]
fn people_read_requires_in_the_order_of_the_spec() {
    let place = tempfile::tempdir().unwrap();
    let lines = ["max_channel_load <= 1000", "diameter <= 9", "average_hops <= 5"];
    let build = |order: [usize; 3]| {
        let text = order.iter().fold(SpecText::pod([2, 2, 2], 2).named("small"), |spec, &line| {
            spec.with(&format!("require {};", lines[line]))
        });
        std::fs::write(place.path().join("pod.fab"), text.text()).unwrap();
        let built = fabc(place.path(), &["build", "pod.fab", "-q"]);
        assert_eq!(code(&built), 0, "{}", err(&built));
        let verified = fabc(place.path(), &["verify", "out/small"]);
        assert_eq!(code(&verified), 0, "{}{}", out(&verified), err(&verified));
        let read = |name: &str| std::fs::read_to_string(place.path().join("out/small").join(name)).unwrap();
        for page in ["report.txt", "report.html", "spec.fab"] {
            let text = read(page).replace("&lt;", "<");
            // Of the page, the verdict is what comes first.
            let places = order.map(|line| text.find(lines[line]).unwrap_or_else(|| panic!("{page}: {text}")));
            assert!(places.is_sorted(), "{page} in the order {order:?}: {places:?}");
        }
        [read("report.json"), read("topology.json"), read("tables/nominal.json")]
    };
    assert_eq!(build([0, 1, 2]), build([2, 0, 1]));
}
