//! The options of `fabc place`. Each is a step, and their order on the command line matters.

use super::candidates;
use super::hosts::HostArgs;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use fabc_ir::PlaceStep;
use std::path::PathBuf;

/// `fabc place`.
#[derive(Clone, Debug, Args)]
pub struct PlaceArgs {
    /// The directory of a pod in slices, as `fabc build` or `fabc place` wrote it
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,

    /// The steps, in order
    #[command(flatten)]
    pub steps: PlaceSteps,

    /// Write the new placement, with its kinds and the settings of all switches, to this directory
    #[arg(long, short, value_name = "NEW_DIR", required_unless_present = "emit")]
    pub out: Option<PathBuf>,

    /// Write a format for schedulers about the new placement, such as `slices_json=cluster.json`. Without
    /// steps the placement is that of DIR. Can be repeated
    #[arg(long, value_name = "FORMAT[=PATH]", value_delimiter = ',', add = candidates::from_list(candidates::formats))]
    pub emit: Vec<String>,

    /// Names of hosts in these formats
    #[command(flatten)]
    pub hosts: HostArgs,

    /// Stop unless the switches have these settings now: an `ocs.json`, a directory that fabc wrote, or a
    /// folder with the state of every switch, as in `fabc drift`
    #[arg(long, value_name = "LIVE")]
    pub live: Option<String>,

    /// The map from face ports to ports of switches without labels, as `--emit ocs_ports` writes it
    #[arg(long, value_name = "MAP", requires = "live")]
    pub ports: Option<PathBuf>,

    /// Print fabc.placement/1 instead of text
    #[arg(long)]
    pub json: bool,
}

/// The steps, in the order of the command line.
#[derive(Clone, Debug, Default)]
pub struct PlaceSteps(pub Vec<PlaceStep>);

/// The name, argument and help of every option that is a step.
const STEPS: [(&str, &str, &str); 6] = [
    (
        "add",
        "KIND[=NAME]",
        "Place another slice of a kind in the first free cubes. Like all steps, it can be repeated",
    ),
    ("cubes", "CUBES", "Place the slice of the last `--add` in these cubes, such as 3,9"),
    ("remove", "NAME", "Remove a slice: its cubes go dark"),
    (
        "swap",
        "CUBE[=CUBE]",
        "Replace a cube of a slice by a named one, as in cube5=cube62, or by the first spare or free one",
    ),
    ("down", "CUBE", "Mark a cube as down: no slice gets it"),
    ("up", "CUBE", "Mark a cube as working again"),
];

impl Args for PlaceSteps {
    fn augment_args(command: Command) -> Command {
        STEPS.iter().fold(command, |command, (name, value, help)| {
            command.arg(Arg::new(*name).long(*name).value_name(*value).help(*help).action(ArgAction::Append))
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for PlaceSteps {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut given: Vec<(usize, &str, &String)> = Vec::new();
        for (name, _, _) in STEPS {
            let (indices, values) = (matches.indices_of(name), matches.get_many::<String>(name));
            given.extend(
                indices
                    .into_iter()
                    .flatten()
                    .zip(values.into_iter().flatten())
                    .map(|(index, value)| (index, name, value)),
            );
        }
        given.sort();
        let mut steps = Vec::new();
        for (_, name, value) in given {
            let invalid = |problem: &str| {
                let message = format!("invalid value '{value}' for '--{name}': {problem}\n");
                clap::Error::raw(clap::error::ErrorKind::ValueValidation, message)
            };
            if let ("cubes", Some(PlaceStep::Add { cubes, .. })) = (name, steps.last_mut()) {
                if cubes.is_some() {
                    return Err(invalid("`--cubes` is given twice for this slice"));
                }
                *cubes = Some(
                    value
                        .split(',')
                        .map(parse_cube)
                        .collect::<Result<_, _>>()
                        .map_err(|problem| invalid(&problem))?,
                );
                continue;
            }
            steps.push(match name {
                "cubes" => return Err(invalid("write it after the `--add` that it belongs to")),
                "add" => {
                    let (kind, name) = value
                        .split_once('=')
                        .map_or((value.as_str(), None), |(kind, name)| (kind, Some(name.to_owned())));
                    PlaceStep::Add { kind: kind.to_owned(), name, cubes: None }
                }
                "remove" => PlaceStep::Remove(value.clone()),
                "swap" => {
                    let (cube_name, with) = value
                        .split_once('=')
                        .map_or((value.as_str(), None), |(cube_name, with)| (cube_name, Some(with)));
                    let with = with.map(parse_cube).transpose().map_err(|problem| invalid(&problem))?;
                    PlaceStep::Swap(parse_cube(cube_name).map_err(|problem| invalid(&problem))?, with)
                }
                "down" => PlaceStep::Down(parse_cube(value).map_err(|problem| invalid(&problem))?),
                _ => PlaceStep::Up(parse_cube(value).map_err(|problem| invalid(&problem))?),
            });
        }
        if steps.is_empty() && matches.get_many::<String>("emit").is_none_or(|values| values.len() == 0) {
            let message = "nothing to do: give --add, --remove, --swap, --down or --up\n";
            return Err(clap::Error::raw(clap::error::ErrorKind::MissingRequiredArgument, message));
        }
        Ok(Self(steps))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Reads the number of a cube, written `cube5` or `5`.
fn parse_cube(text: &str) -> Result<u32, String> {
    let text = text.trim();
    text.strip_prefix("cube")
        .unwrap_or(text)
        .parse()
        .map_err(|_| format!("`{text}` is not a cube such as cube5"))
}
