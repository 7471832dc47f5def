//! The links of boxes that files list.

/// The normal form needs no file: it has a `join` for every line of one.
#[test]
fn links_of_a_file_are_the_joins_of_its_lines() {
    let normal = |line: &str| {
        let text = format!(
            "fabric f {{ link wire {{ bandwidth = 25 GB/s; latency = 100 ns; }} router {{ radix = 8; vcs = 1; }}
            box b {{ gpus = 3; {line} }} boxes = 1 of b; routing = spray {{ relay = gpu; }} }}"
        );
        let loader = |path: &str| match path {
            "f.fab" => Ok(text.clone()),
            "parts/pairs.csv" => Ok("u,v,copies\n# a line of three\n0,1\n1,2,3\n".to_owned()),
            other => Err(other.to_owned()),
        };
        let (_, spec, _) =
            fabc::lang::read_normal("f.fab", &loader).unwrap_or_else(|(failure, _)| panic!("{failure:?}"));
        fabc::syntax::print_spec(&spec)
    };
    let joined = normal("join [0, 1] over wire; join [1, 2] over wire { copies = 3; }");
    assert_eq!(normal("links \"parts/pairs.csv\" over wire;"), joined);
}
