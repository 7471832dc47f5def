//! Repairs of slices, and cubes that take the place of others.

use super::{KINDS, built, json, spec};
use crate::support::plain::{fabc, files};

#[test]
fn a_slice_is_repaired_by_the_names_of_the_pod() {
    let place = built(&spec(16, KINDS));
    let (out, _) = fabc(
        place.path(),
        &["repair", "out/pod", "--slice", "train-1", "--down", "cube6[1,0,0]", "--out", "mended"],
        0,
    );
    assert!(out.contains("stand for 4, 5, 6, 7") && out.contains("--down cube6 --swap"), "{out}");
    assert_eq!(json(&place.path().join("mended/repair.json"))["down"], serde_json::json!(["cube2[1,0,0]"]));
    fabc(place.path(), &["verify", "out/pod/slices/train", "--repair", "mended"], 0);
    fabc(
        place.path(),
        &["repair", "out/pod", "--slice", "train-1", "--down", "cube0[1,0,0]", "--out", "other"],
        2,
    );
    fabc(place.path(), &["repair", "out/pod", "--down", "cube0[1,0,0]", "--out", "other"], 2);
}

#[test]
fn cubes_with_dead_chips_are_replaced_and_the_rest_is_repaired() {
    let place = built(&spec(16, KINDS));
    let repair = |down: &[&str], to: &str, code: i32| {
        let down: Vec<&str> = down.iter().flat_map(|name| ["--down", name]).collect();
        fabc(place.path(), &[&["repair", "out/pod", "--swap", "--out", to], &down[..]].concat(), code)
    };
    let exists = |path: &str| place.path().join(path).exists();
    // A chip of a slice, a whole cube of none. A link of the cube that goes, of a slice, and of no slice.
    let down = ["cube5[1,0,0]", "cube11", "cube5[0,0,0].+x", "cube1[1,1,1].+y", "cube15[0,0,0].+x"];
    let (out, _) = repair(&down, "mended", 0);
    assert!(out.contains("slice train-1: cube14 takes the place of cube5"), "{out}");
    assert!(
        out.contains(
            "slice train-0 (cubes 0, 1, 2, 3, by the names of its kind): pod_train without cube1[1,1,1].+y"
        ),
        "{out}"
    );
    fabc(place.path(), &["verify", "mended/placed"], 0);
    let steps = ["--down", "cube5", "--down", "cube11", "--swap", "cube5"];
    fabc(place.path(), &[&["place", "out/pod", "--out", "placed", "-q"], &steps[..]].concat(), 0);
    assert_eq!(files(&place.path().join("mended/placed")), files(&place.path().join("placed")));
    fabc(place.path(), &["verify", "mended/placed/slices/train", "--repair", "mended/repairs/train-0"], 0);
    assert!(!exists("mended/repairs/train-1") && !exists("mended/repairs/serve-0"));
    // A dark switch is dark in all slices that it serves. Slices of a kind have the same tables.
    let (out, _) = repair(&["X[0,0]"], "mended", 0);
    assert!(out.starts_with("no cube of a slice has a dead chip"), "{out}");
    let slice_files = |slice: &str| files(&place.path().join("mended/repairs").join(slice));
    assert_eq!(slice_files("train-0"), slice_files("train-1"));
    fabc(place.path(), &["verify", "out/pod/slices/serve", "--repair", "mended/repairs/serve-2"], 0);
    // Errors: more cubes than there are spare ones, an unknown name, a pod without slices, a folder with
    // other files.
    let (_, err) = repair(&["cube0", "cube1", "cube2", "cube3", "cube4", "cube5"], "never", 3);
    assert!(err.contains("FAB0583") && err.contains("spare"), "{err}");
    let (_, err) = repair(&["cube5[1,0,0]", "cube16"], "never", 2);
    assert!(err.contains("block of routers `cube16`") && err.contains("all of `cube0` to"), "{err}");
    fabc(place.path(), &["repair", "out/pod/slices/train", "--swap", "--down", "cube0", "--out", "never"], 2);
    assert!(!exists("never"));
    std::fs::write(place.path().join("mended/placed/notes.txt"), "mine").unwrap();
    repair(&["cube5"], "mended", 2);
    assert!(exists("mended/repairs/train-0/repair.json") && exists("mended/placed/notes.txt"));
}
