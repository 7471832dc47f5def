//! `docs/largest_networks.md` and its picture: the largest network of every radix, beside the PolarStar.

use fabc::model::{DesignGoal, DesignSpace, Family, choose_network};
use std::fmt::Write;
use std::path::PathBuf;

const PAGE: &str = "docs/largest_networks.md";
const PICTURE: &str = "docs/images/largest_networks.svg";

/// A row of the table.
struct LargestRow {
    radix: u32,
    largest: Family,
    star: Family,
}

impl LargestRow {
    /// Both numbers of routers as shares of Moore's bound.
    fn shares(&self) -> [f64; 2] {
        [&self.largest, &self.star]
            .map(|family| family.router_count() as f64 / moore_bound(self.radix) as f64)
    }
}

/// The most routers within three hops of one.
fn moore_bound(radix: u32) -> u64 {
    let k = u64::from(radix);
    1 + k + k * (k - 1) + k * (k - 1) * (k - 1)
}

/// The largest networks of 8 to 128 ports, of any family and of PolarStars alone.
fn largest_rows() -> Vec<LargestRow> {
    let mut largest = choose_network(1..=7, 3, DesignGoal::Largest).expect("a network");
    let row = |radix: u32| {
        let of_radix = choose_network(radix..=radix, 3, DesignGoal::Largest).expect("a PolarStar at least");
        if of_radix.router_count() > largest.router_count() {
            largest = of_radix;
        }
        let star =
            DesignSpace::PolarStar.choose(std::iter::once(radix), DesignGoal::Largest).expect("a star");
        LargestRow { radix, largest: largest.clone(), star }
    };
    (8..=128).map(row).collect()
}

/// A number with a comma before every three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn page(rows: &[LargestRow]) -> String {
    let larger = rows.iter().filter(|row| row.largest.router_count() > row.star.router_count()).count();
    let mut text = format!(
        "# Largest networks\n\n\
         <!-- Written by `UPDATE_DOCS=1 cargo test --test it largest_page`. -->\n\n\
         The largest network of at most so many network ports and three hops, of all families of fabc, as\n\
         `topology = network {{ radix = 33; diameter = 3; routers = largest; }}` chooses it. Beside it the largest\n\
         PolarStar. At {larger} of the {} radixes from 8 to 128 another family has more routers than that. Sizes\n\
         follow from the parameters. `fabc check` of a spec examines the network itself, or a sample of it.\n\n\
         ![Routers as a share of Moore's bound by radix](images/largest_networks.svg)\n\n\
         Networks over quadrangles trade flow for size: their average distance is near 2.9 hops. A pair whose\n\
         point is on its line, and an absolute point, keep one port dark. At radix 12, 13 and 14 searches of\n\
         others found graphs of 786, 856 and 916 routers (Combinatorics Wiki).\n\n\
         | radix | Moore's bound | largest | of the bound | topology | PolarStar | factor |\n\
         |---|---|---|---|---|---|---|\n",
        rows.len()
    );
    for row in rows {
        let (routers, star) = (row.largest.router_count() as u64, row.star.router_count() as u64);
        writeln!(
            text,
            "| {} | {} | {} | {:.1} % | `{}` | {} | {:.2} |",
            row.radix,
            grouped(moore_bound(row.radix)),
            grouped(routers),
            100.0 * row.shares()[0],
            row.largest.written(),
            grouped(star),
            routers as f64 / star as f64
        )
        .expect("text takes text");
    }
    text
}

/// Both shares by radix, as lines.
fn picture(rows: &[LargestRow]) -> String {
    let (width, height) = (760.0, 360.0);
    let x = |radix: u32| 50.0 + f64::from(radix - 8) / 120.0 * (width - 70.0);
    let y = |share: f64| height - 40.0 - share / 1.05 * (height - 60.0);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" \
         font-size=\"12\" role=\"img\" aria-label=\"Routers of the largest network, as a share of Moore's bound, by radix\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
    );
    for percent in [0u32, 20, 40, 60, 80, 100] {
        let line = y(f64::from(percent) / 100.0);
        writeln!(
            text,
            "<path d=\"M50 {line:.1}H{:.0}\" stroke=\"#dddddd\"/><text x=\"44\" y=\"{:.1}\" text-anchor=\"end\">{percent} %</text>",
            width - 20.0,
            line + 4.0
        )
        .expect("text takes text");
    }
    for radix in (16..=128).step_by(16) {
        writeln!(
            text,
            "<text x=\"{:.1}\" y=\"{:.0}\" text-anchor=\"middle\">{radix}</text>",
            x(radix),
            height - 22.0
        )
        .expect("text takes text");
    }
    for (place, color) in ["#b7640a", "#2059b8"].into_iter().enumerate() {
        let points: Vec<String> =
            rows.iter().map(|row| format!("{:.1},{:.1}", x(row.radix), y(row.shares()[place]))).collect();
        writeln!(
            text,
            "<polyline fill=\"none\" stroke=\"{color}\" stroke-width=\"2\" points=\"{}\"/>",
            points.join(" ")
        )
        .expect("text takes text");
    }
    writeln!(
        text,
        "<text x=\"60\" y=\"20\" fill=\"#b7640a\">largest of all families</text>\n<text x=\"220\" y=\"20\" fill=\"#2059b8\">largest PolarStar</text>\n\
         <text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"middle\">network ports of a router; routers as a share of Moore's bound of three hops</text>\n</svg>",
        width / 2.0,
        height - 6.0
    )
    .expect("text takes text");
    text
}

#[test]
fn the_page_of_the_largest_networks_is_current() {
    let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo says it"));
    let rows = largest_rows();
    for (path, text) in [(PAGE, page(&rows)), (PICTURE, picture(&rows))] {
        let file = root.join(path);
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(&file, &text).unwrap();
        }
        let written = std::fs::read_to_string(&file).unwrap_or_default();
        assert_eq!(written, text, "UPDATE_DOCS=1 cargo test --test it largest_page writes {path}");
    }
}
