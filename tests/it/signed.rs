//! Signed directories: `fabc verify --signed-by`, with signatures of another library and of `ssh-keygen`.

use crate::support::plain::{fabc, files};
use crate::support::spec_text::SpecText;
use ssh_key::private::{Ed25519Keypair, PrivateKey};
use ssh_key::{HashAlg, LineEnding};
use std::path::{Path, PathBuf};

/// What `ssh-keygen` of OpenSSH 9.2 has written: a message, keys, and their signatures of it.
fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/signed").join(name)
}

/// The key of one of the signers.
fn key_of(who: &str) -> PrivateKey {
    PrivateKey::from(Ed25519Keypair::from_seed(&[who.as_bytes()[0]; 32]))
}

/// Signs the manifest of a directory.
fn sign(place: &Path, who: &str, namespace: &str, directory: &str) {
    let manifest = place.join(directory).join("manifest.json");
    let signature = key_of(who).sign(namespace, HashAlg::Sha512, &std::fs::read(&manifest).unwrap()).unwrap();
    std::fs::write(manifest.with_extension("json.sig"), signature.to_pem(LineEnding::LF).unwrap()).unwrap();
}

/// Writes a file of signers. `KEY(alice)` stands for the key of alice.
fn signers(place: &Path, text: &str) {
    let key = |who: &str| key_of(who).public_key().to_openssh().unwrap();
    let text = ["alice", "bob"]
        .iter()
        .fold(text.to_owned(), |text, who| text.replace(&format!("KEY({who})"), &key(who)));
    std::fs::write(place.join("signers"), text).unwrap();
}

fn place_with(name: &str, spec: SpecText) -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join(format!("{name}.fab")), spec.named(name).text()).unwrap();
    signers(place.path(), "alice@fabric.example namespaces=\"fabc\" KEY(alice)\nbob KEY(bob)\n");
    place
}

fn ring() -> tempfile::TempDir {
    let spec = SpecText::network("torus 4 x 4;")
        .with("budget { vcs = 2; faults = 1 router; }")
        .with("routing = allowed_turns;");
    place_with("ring", spec)
}

/// The message of an error, without line ends.
fn refused(place: &Path, words: &[&str], code: i32) -> String {
    let (_, err) = fabc(place, words, code);
    let words: Vec<&str> = err.split_whitespace().filter(|word| *word != "│").collect();
    words.join(" ").split(" 1 error.").next().unwrap().to_owned()
}

const ALICE: &str = "alice@fabric.example";

#[test]
fn what_an_allowed_signer_signed_is_signed() {
    let place = ring();
    let place = place.path();
    fabc(place, &["build", "ring.fab", "-q"], 0);
    for (key, who) in [("alice", ALICE), ("bob", "bob")] {
        sign(place, key, "fabc", "out/ring");
        let (out, _) = fabc(place, &["verify", "out/ring", "--signed-by", "signers"], 0);
        assert!(out.starts_with(&format!("signed out/ring: by {who}, SHA256:")), "{out}");
        // The signature is no file of the directory.
        assert!(!std::fs::read_to_string(place.join("out/ring/manifest.json")).unwrap().contains(".sig"));
        let (out, _) = fabc(place, &["verify", "out/ring", "--signed-by", "signers", "--json"], 0);
        let told: serde_json::Value = serde_json::from_str(&out).unwrap();
        assert_eq!(told["signed_by"][0]["principals"], who);
    }
    // It is in nobody's way: the same build replaces the directory.
    fabc(place, &["build", "ring.fab", "-q"], 0);
    assert!(files(&place.join("out/ring")).keys().all(|path| !path.to_string_lossy().ends_with(".sig")));
}

#[test]
fn signatures_of_ssh_keygen_are_read() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    std::fs::create_dir(place.join("old")).unwrap();
    std::fs::write(place.join("old/spec.fab"), "").unwrap();
    let mut text = String::new();
    for key in ["ed25519", "ecdsa"] {
        text += &format!("{key} {}", std::fs::read_to_string(data(&format!("{key}.pub"))).unwrap());
    }
    std::fs::write(place.join("signers"), text).unwrap();
    for key in ["ed25519", "ecdsa"] {
        std::fs::copy(data(&format!("{key}.sig")), place.join("old/manifest.json.sig")).unwrap();
        // The signature holds, but the message is no manifest.
        std::fs::copy(data("message"), place.join("old/manifest.json")).unwrap();
        let (out, err) = fabc(place, &["verify", "old", "--signed-by", "signers"], 1);
        assert!(out.starts_with(&format!("signed old: by {key}, SHA256:")), "{out}{err}");
        std::fs::write(place.join("old/manifest.json"), "Another message.\n").unwrap();
        let message = refused(place, &["verify", "old", "--signed-by", "signers"], 3);
        assert!(message.contains(&format!("the signature of {key} is not of this")), "{message}");
    }
}

#[test]
fn what_is_not_signed_is_refused() {
    let place = ring();
    let place = place.path();
    fabc(place, &["build", "ring.fab", "-q"], 0);
    let verify = ["verify", "out/ring", "--signed-by", "signers"];
    let manifest = place.join("out/ring/manifest.json");
    let signature = manifest.with_extension("json.sig");
    let how = "help: `ssh-keygen -Y sign -n fabc -f KEY out/ring/manifest.json` signs it";
    let not_signed = |wanted: &str| {
        let message = refused(place, &verify, 3);
        assert!(message.starts_with(&format!("FAB0586 × `out/ring` is not signed: {wanted}")), "{message}");
    };
    not_signed(&format!("there is no `manifest.json.sig` {how}"));
    std::fs::write(&signature, "no signature").unwrap();
    not_signed("`manifest.json.sig` is no signature of SSH: ");
    sign(place, "alice", "git", "out/ring");
    not_signed(&format!("its signature is in the namespace `git`, not in `fabc` {how}"));
    sign(place, "alice", "fabc", "out/ring");
    // Every bit of the manifest counts, and the directory is what the manifest lists.
    let good = std::fs::read(&manifest).unwrap();
    for at in [0, good.len() / 2, good.len() - 1] {
        let mut bad = good.clone();
        bad[at] ^= 1;
        std::fs::write(&manifest, bad).unwrap();
        not_signed(&format!("the signature of {ALICE} is not of this `manifest.json` "));
    }
    std::fs::write(&manifest, &good).unwrap();
    let report = place.join("out/ring/report.txt");
    std::fs::write(&report, std::fs::read_to_string(&report).unwrap() + " ").unwrap();
    let message = refused(place, &verify, 3);
    assert!(message.contains("report.txt"), "{message}");
    // A key that is not allowed, or not for this.
    signers(place, "bob KEY(bob)\n");
    not_signed("its key SHA256:");
    signers(place, "alice namespaces=\"git\" KEY(alice)\n");
    not_signed("alice may not sign in the namespace `fabc` ");
    signers(place, "alice valid-before=\"20300101\" KEY(alice)\n");
    let message = refused(place, &verify, 1);
    assert!(
        message.starts_with("FAB0587 × line 1 of `signers` has `valid-before`, which needs a clock"),
        "{message}"
    );
    let message = refused(place, &["verify", "out/ring", "--signed-by", "nobody"], 1);
    assert!(message.contains("cannot read `nobody`"), "{message}");
}

#[test]
fn repairs_are_links_of_a_chain() {
    let place = ring();
    let place = place.path();
    fabc(place, &["build", "ring.fab", "-q"], 0);
    fabc(place, &["repair", "out/ring", "--down", "router[0,1]", "--out", "first", "-q"], 0);
    let more = ["--down", "router[0,1]", "--down", "router[2,2]", "--from", "first"];
    fabc(place, &[&["repair", "out/ring", "--out", "second", "-q"][..], &more].concat(), 0);
    let verify = ["verify", "out/ring", "--repair", "second", "--from", "first", "--signed-by", "signers"];
    for directory in ["out/ring", "second"] {
        sign(place, "alice", "fabc", directory);
    }
    let message = refused(place, &verify, 3);
    assert!(message.contains("`first` is not signed: there is no `manifest.json.sig`"), "{message}");
    sign(place, "bob", "fabc", "first");
    let (out, _) = fabc(place, &verify, 0);
    let signed: Vec<&str> =
        out.lines().filter_map(|line| line.split_once(", SHA256:")).map(|(who, _)| who).collect();
    let alice = |directory: &str| format!("signed {directory}: by {ALICE}");
    assert_eq!(signed, [&alice("out/ring"), &alice("second"), "signed first: by bob"]);
    // The manifest names what a repair starts from.
    let manifest: serde_json::Value =
        serde_json::from_slice(&std::fs::read(place.join("second/manifest.json")).unwrap()).unwrap();
    let hash = |directory: &str| {
        blake3::hash(&std::fs::read(place.join(directory).join("manifest.json")).unwrap())
            .to_hex()
            .to_string()
    };
    assert_eq!(
        manifest["starts"],
        serde_json::json!({ "built": hash("out/ring"), "earlier": hash("first") })
    );
    // With another manifest the earlier repair is another link, whoever signs it.
    let earlier = place.join("first/manifest.json");
    let text = std::fs::read_to_string(&earlier).unwrap();
    std::fs::write(&earlier, text.replace("\"tool\":\"fabc ", "\"tool\":\"fabc 0.")).unwrap();
    sign(place, "alice", "fabc", "first");
    let broken = "manifest.json: starts from another manifest than that of its";
    let message = refused(place, &verify, 3);
    assert!(message.contains(&format!("{broken} earlier repair")), "{message}");
    // A manifest that names another start is no manifest of this repair.
    fabc(place, &["repair", "out/ring", "--down", "router[0,1]", "--out", "first", "-q"], 0);
    let path = place.join("first/manifest.json");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace(&hash("out/ring"), &"0".repeat(64))).unwrap();
    sign(place, "alice", "fabc", "first");
    let message = refused(place, &["verify", "out/ring", "--repair", "first", "--signed-by", "signers"], 3);
    assert!(message.contains(&format!("{broken} build")), "{message}");
}

#[test]
fn plans_and_placements_are_links_of_a_chain() {
    let pod = SpecText::pod([2, 2, 2], 4).with("budget { vcs = 2; faults = 0; }");
    let place = place_with("pod", pod.clone());
    let place = place.path();
    fabc(place, &["build", "pod.fab", "-q"], 0);
    std::fs::write(
        place.join("new.fab"),
        pod.named("pod").without("topology").with("topology = synthesize { seed = 2; }").text(),
    )
    .unwrap();
    fabc(place, &["build", "new.fab", "-q", "--out", "new"], 0);
    fabc(place, &["plan", "new/pod", "--live", "out/pod", "--out", "way", "-q"], 2);
    ["out/pod", "new/pod", "way"].into_iter().for_each(|directory| sign(place, "alice", "fabc", directory));
    let verify = ["verify", "new/pod", "--plan", "way", "--from", "out/pod", "--signed-by", "signers"];
    let (out, _) = fabc(place, &verify, 0);
    assert_eq!(out.matches("signed ").count(), 3, "{out}");
    let manifest = std::fs::read_to_string(place.join("way/manifest.json")).unwrap();
    assert!(manifest.contains("\"kind\":\"plan\"") && manifest.contains("\"new\":\""), "{manifest}");

    let slices = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/small_slices.fab");
    fabc(place, &["build", slices.to_str().unwrap(), "-q"], 0);
    let first = "out/small_slices";
    let kind = {
        let placement: serde_json::Value =
            serde_json::from_slice(&std::fs::read(place.join(first).join("placement.json")).unwrap())
                .unwrap();
        placement["slices"][0]["name"].as_str().unwrap().to_owned()
    };
    // A placement names where it starts if that is signed.
    sign(place, "alice", "fabc", first);
    fabc(place, &["place", first, "--remove", &kind, "--out", "second", "-q"], 0);
    sign(place, "alice", "fabc", "second");
    let chain = |from: &'static str| ["verify", "second", "--from", from, "--signed-by", "signers"];
    fabc(place, &chain(first), 0);
    fabc(place, &["place", "second", "--remove", "none", "--out", "third", "-q"], 2);
    let message = refused(place, &chain("second"), 3);
    assert!(
        message.starts_with("FAB0586 × `second` does not start from `second`: it starts from the manifest"),
        "{message}"
    );
    let back = ["verify", first, "--from", "second", "--signed-by", "signers"];
    let message = refused(place, &back, 3);
    assert!(message.contains("it starts from no other placement"), "{message}");
}
