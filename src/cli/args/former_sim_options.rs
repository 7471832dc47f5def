//! Former options of `fabc sim` that are settings of `--with` today, and the translation of a command line
//! that still has them.

use fabc_model::Rate;

/// The part of a `simulate` block that a setting belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BlockPart {
    /// The setting stands directly in the `simulate` block.
    Block,
    Traffic,
    Births,
    Routing,
    Model,
}

/// A former option, and the setting that replaced it.
struct FormerOption {
    name: &'static str,
    part: BlockPart,
    setting: &'static str,
    unit: &'static str,
}

const fn former(
    name: &'static str,
    part: BlockPart,
    setting: &'static str,
    unit: &'static str,
) -> FormerOption {
    FormerOption { name, part, setting, unit }
}

/// All former options, in the order in which their settings are written.
const FORMER_OPTIONS: [FormerOption; 30] = [
    former("--traffic", BlockPart::Traffic, "", ""),
    former("--trace", BlockPart::Traffic, "trace", ""),
    former("--by", BlockPart::Traffic, "by", ""),
    former("--hotspot", BlockPart::Traffic, "at", ""),
    former("--share", BlockPart::Traffic, "share", ""),
    former("--bytes", BlockPart::Traffic, "bytes", ""),
    former("--order", BlockPart::Traffic, "order", ""),
    former("--bursts", BlockPart::Births, "length", " cycles"),
    former("--burst-rate", BlockPart::Births, "rate", ""),
    former("--routing", BlockPart::Routing, "", ""),
    former("--shortest", BlockPart::Routing, "shortest", ""),
    former("--samples", BlockPart::Routing, "samples", ""),
    former("--bias", BlockPart::Routing, "bias", " flits"),
    former("--rule", BlockPart::Routing, "rule", ""),
    former("--model", BlockPart::Model, "", ""),
    former("--general", BlockPart::Model, "general", ""),
    former("--classes", BlockPart::Model, "classes", ""),
    former("--arbitration", BlockPart::Model, "arbitration", ""),
    former("--credits", BlockPart::Model, "credits", ""),
    former("--hosts", BlockPart::Model, "hosts", ""),
    former("--window", BlockPart::Model, "window", ""),
    former("--turn", BlockPart::Model, "turn", " cycles"),
    former("--speedup", BlockPart::Model, "speedup", ""),
    former("--packet", BlockPart::Block, "packet", " flits"),
    former("--rates", BlockPart::Block, "rates", ""),
    former("--injection", BlockPart::Block, "injection", " cycles"),
    former("--warmup", BlockPart::Block, "warmup", " cycles"),
    former("--measure", BlockPart::Block, "measure", " cycles"),
    former("--seed", BlockPart::Block, "seed", ""),
    former("--seeds", BlockPart::Block, "seeds", ""),
];

/// Translates the former options on a command line into settings, such as `traffic = tornado; rates = 0.4;`.
/// `None` if there are none.
pub(crate) fn settings_of_former_options(words: &[String]) -> Option<String> {
    let values = FORMER_OPTIONS.iter().filter_map(|former| Some((former, value_of(words, former.name)?)));
    let values: Vec<(&FormerOption, String)> =
        values.map(|(former, value)| (former, setting_value(former, &value))).collect();
    if values.is_empty() {
        return None;
    }
    let blocks = [
        ("traffic", BlockPart::Traffic, traffic_of_details(&values)),
        ("births", BlockPart::Births, "bursts"),
        ("routing", BlockPart::Routing, "ugal"),
        ("model", BlockPart::Model, "packet"),
    ];
    let mut settings: Vec<String> =
        blocks.iter().filter_map(|(name, part, word)| block_setting(name, *part, word, &values)).collect();
    let plain = values.iter().filter(|(former, _)| former.part == BlockPart::Block);
    settings.extend(plain.map(|(former, value)| format!("{} = {value};", former.setting)));
    Some(settings.join(" "))
}

/// The value behind an option, or `..` if there is none.
fn value_of(words: &[String], option: &str) -> Option<String> {
    let (index, inline) = words.iter().enumerate().find_map(|(index, word)| {
        let rest = word.strip_prefix(option)?;
        (rest.is_empty() || rest.starts_with('=')).then(|| (index, rest.strip_prefix('=')))
    })?;
    let value =
        inline.or_else(|| words.get(index + 1).map(String::as_str).filter(|word| !word.starts_with("--")));
    Some(value.unwrap_or("..").to_owned())
}

/// The value of a setting as a spec writes it.
fn setting_value(former: &FormerOption, value: &str) -> String {
    match former.name {
        "--rates" => rates_value(value),
        "--hotspot" => format!("[{value}]"),
        "--trace" => format!("trace \"{value}\""),
        _ => format!("{value}{}", former.unit),
    }
}

/// Writes `0.4,1.2` as `[0.4, 1.2]`, and `0.1..0.6:0.1` as `0.1 .. 0.6 step 0.1`.
fn rates_value(value: &str) -> String {
    let steps = |item: &str| {
        let (first, rest) = item.split_once("..")?;
        let (last, step) = rest.split_once(':')?;
        Some([first, last, step].map(|rate| rate.trim().to_owned()))
    };
    let items: Vec<&str> = value.split(',').map(str::trim).collect();
    if let [item] = &items[..] {
        return steps(item).map_or_else(
            || (*item).to_owned(),
            |[first, last, step]| format!("{first} .. {last} step {step}"),
        );
    }
    let rates = items.iter().flat_map(|item| {
        match steps(item).map(|ends| ends.map(|rate| Rate::parse(&rate).map(Rate::in_millionths))) {
            Some([Some(first), Some(last), Some(step)]) => (first..=last)
                .step_by(step as usize)
                .take(1000)
                .map(|rate| Rate::millionths(rate).to_string())
                .collect(),
            _ => vec![(*item).to_owned()],
        }
    });
    format!("[{}]", rates.collect::<Vec<_>>().join(", "))
}

/// The traffic that some details belong to, where no option names one.
fn traffic_of_details(values: &[(&FormerOption, String)]) -> &'static str {
    let has = |setting: &str| {
        values.iter().any(|(former, _)| former.part == BlockPart::Traffic && former.setting == setting)
    };
    if has("by") {
        "group_shift"
    } else if has("bytes") || has("order") {
        "all_to_all"
    } else {
        "hotspot"
    }
}

/// Writes one part of the block, such as `model = flit { window = 9; }`: a word, and the settings in its
/// block.
fn block_setting(
    name: &str,
    part: BlockPart,
    usual_word: &str,
    values: &[(&FormerOption, String)],
) -> Option<String> {
    let part_values: Vec<&(&FormerOption, String)> =
        values.iter().filter(|(former, _)| former.part == part).collect();
    let word = part_values
        .iter()
        .find(|(former, _)| ["", "trace"].contains(&former.setting))
        .map(|(_, value)| value.as_str());
    let details = part_values.iter().filter(|(former, _)| !["", "trace"].contains(&former.setting));
    let details: Vec<String> =
        details.map(|(former, value)| format!("{} = {value};", former.setting)).collect();
    match (word, &details[..]) {
        (None, []) => None,
        (Some(word), []) => Some(format!("{name} = {word};")),
        (word, _) => Some(format!("{name} = {} {{ {} }}", word.unwrap_or(usual_word), details.join(" "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every former option is written as settings that the language reads.
    #[test]
    fn former_options_are_written_as_settings() {
        for (line, settings) in [
            ("--rates 0.4,1.2", "rates = [0.4, 1.2];"),
            ("--rates=0.1..0.6:0.1 --seeds 3", "rates = 0.1 .. 0.6 step 0.1; seeds = 3;"),
            ("--rates 0.1..0.3:0.1,1", "rates = [0.10, 0.20, 0.30, 1];"),
            ("--traffic tornado --saturation", "traffic = tornado;"),
            (
                "--traffic all_to_all --bytes 64KiB --window 384",
                "traffic = all_to_all { bytes = 64KiB; } model = packet { window = 384; }",
            ),
            (
                "--hotspot cube0[0,0,0],5 --share 0.5",
                "traffic = hotspot { at = [cube0[0,0,0],5]; share = 0.5; }",
            ),
            ("--trace t.csv --packet 11", "traffic = trace \"t.csv\"; packet = 11 flits;"),
            ("--bursts 40 --burst-rate 0.5", "births = bursts { length = 40 cycles; rate = 0.5; }"),
            ("--routing ugal --bias 30", "routing = ugal { bias = 30 flits; }"),
            ("--model flit --speedup 1 --warmup 500", "model = flit { speedup = 1; } warmup = 500 cycles;"),
            ("--model", "model = ..;"),
        ] {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            assert_eq!(settings_of_former_options(&words).as_deref(), Some(settings), "{line}");
            if !line.ends_with("--model") {
                let (parsed, _) = fabc_lang::syntax::parse_settings("--with", settings);
                assert!(parsed.is_ok(), "{settings}: {parsed:?}");
            }
        }
        assert_eq!(settings_of_former_options(&["out/pod".to_owned(), "--saturation".to_owned()]), None);
    }
}
