//! The stack of the module: 8 MiB, as a process has on Linux. One MiB is what linkers give otherwise.

fn main() {
    if std::env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|family| family == "wasm") {
        println!("cargo::rustc-link-arg-cdylib=-zstack-size=8388608");
    }
    println!("cargo::rerun-if-changed=engine/stack.rs");
}
