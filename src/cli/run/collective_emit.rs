//! `fabc collective --emit`: writes one schedule in the requested formats.
//!
//! All files are made before the first one is written, so that an error leaves nothing behind.

use crate::io::errors::DriverError;
use crate::io::terminal::{Terminal, size_text};
use crate::io::write::{self, DistinctPaths};
use fabc_base::diag::{closest, list};
use fabc_emit::{ChakraSettings, TraceSettings};
use fabc_ir::{Scene, Schedule};
use fabc_lang::syntax::join;
use std::path::{Path, PathBuf};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ScheduleFormat {
    Collective,
    Msccl,
    /// An execution plan of MSCCL++.
    Mscclpp,
    /// A Chakra trace per chip.
    Chakra,
    Trace,
    /// A trace in which messages wait for the data that they hand on.
    ClosedTrace,
    /// Trace events, a track per channel.
    Perfetto,
}

impl ScheduleFormat {
    const ALL: [ScheduleFormat; 7] = [
        ScheduleFormat::Collective,
        ScheduleFormat::Msccl,
        ScheduleFormat::Mscclpp,
        ScheduleFormat::Chakra,
        ScheduleFormat::Trace,
        ScheduleFormat::ClosedTrace,
        ScheduleFormat::Perfetto,
    ];

    fn name(self) -> &'static str {
        match self {
            ScheduleFormat::Collective => "collective",
            ScheduleFormat::Msccl => "msccl",
            ScheduleFormat::Mscclpp => "mscclpp",
            ScheduleFormat::Chakra => "chakra",
            ScheduleFormat::Trace => "trace",
            ScheduleFormat::ClosedTrace => "closed_trace",
            ScheduleFormat::Perfetto => "perfetto",
        }
    }
    /// How the command line asks for it.
    fn usage(self) -> &'static str {
        match self {
            ScheduleFormat::Collective => "collective=FILE",
            ScheduleFormat::Msccl => "msccl=FILE",
            ScheduleFormat::Mscclpp => "mscclpp=FILE",
            ScheduleFormat::Chakra => "chakra=DIR",
            ScheduleFormat::Trace => "trace=FILE",
            ScheduleFormat::ClosedTrace => "closed_trace=FILE",
            ScheduleFormat::Perfetto => "perfetto=FILE",
        }
    }
}

/// One `FORMAT=PATH` of the command line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ScheduleTarget {
    form: ScheduleFormat,
    path: String,
}

impl ScheduleTarget {
    /// Reads `FORMAT=PATH,FORMAT=PATH`.
    ///
    /// # Errors
    /// `DriverError::UnknownFormat`, `DriverError::OneSchedule` for a missing path, and
    /// `DriverError::OnePlace` for two requests with the same file.
    pub(crate) fn parse_all(emit: &str) -> Result<Vec<Self>, DriverError> {
        let targets = emit.split(',').map(Self::parse).collect::<Result<Vec<Self>, DriverError>>()?;
        for (index, second) in targets.iter().enumerate() {
            let same =
                |first: &&Self| first.form == second.form || join("", &first.path) == join("", &second.path);
            if let Some(first) = targets[..index].iter().find(same) {
                return Err(DriverError::OnePlace {
                    first: first.form.name(),
                    second: second.form.name(),
                    path: second.path.clone(),
                });
            }
        }
        Ok(targets)
    }

    /// Whether the format contains start times of messages.
    pub(crate) fn is_timed(&self) -> bool {
        matches!(self.form, ScheduleFormat::Trace | ScheduleFormat::ClosedTrace | ScheduleFormat::Perfetto)
    }

    fn parse(text: &str) -> Result<Self, DriverError> {
        let (name, path) = text.split_once('=').unwrap_or((text, ""));
        let form = ScheduleFormat::ALL.into_iter().find(|form| form.name() == name).ok_or_else(|| {
            let near = closest(name, ScheduleFormat::ALL.map(ScheduleFormat::name))
                .map_or_else(String::new, |near| format!("did you mean `{near}`? "));
            DriverError::UnknownFormat {
                name: name.to_owned(),
                hint: format!(
                    "{near}a schedule is written as {}",
                    list(&ScheduleFormat::ALL.map(ScheduleFormat::usage))
                ),
            }
        })?;
        if path.is_empty() {
            let lacks = match form {
                ScheduleFormat::Collective => "a file: `--emit collective=FILE`",
                ScheduleFormat::Msccl => "a file: `--emit msccl=FILE`",
                ScheduleFormat::Mscclpp => "a file: `--emit mscclpp=FILE`",
                ScheduleFormat::Chakra => "a folder: `--emit chakra=DIR`",
                ScheduleFormat::Trace => "a file: `--emit trace=FILE`",
                ScheduleFormat::ClosedTrace => "a file: `--emit closed_trace=FILE`",
                ScheduleFormat::Perfetto => "a file: `--emit perfetto=FILE`",
            };
            return Err(DriverError::OneSchedule { lacks });
        }
        Ok(Self { form, path: path.to_owned() })
    }
}

/// Writes a schedule in all these formats.
///
/// # Errors
/// `DriverError::NoProgram` if a format cannot hold the schedule. Nothing is written then. If the disk fails,
/// every file is complete or as it was.
pub(crate) fn write_schedule(
    targets: &[ScheduleTarget],
    trace: &TraceSettings<'_>,
    scene: &Scene<'_>,
    schedule: &Schedule,
    terminal: Terminal,
) -> Result<(), DriverError> {
    let (mut files, mut notes) = (Vec::new(), Vec::new());
    for ScheduleTarget { form, path } in targets {
        match form {
            ScheduleFormat::Collective => {
                let text = fabc_emit::collective_json(trace.fabric, trace.scenario, schedule);
                files.push((PathBuf::from(path), text.into_bytes()));
            }
            ScheduleFormat::Msccl => {
                let output = fabc_emit::collective_msccl(trace.fabric, scene, schedule)?;
                notes.extend(output.notes);
                files.push((PathBuf::from(path), output.text.into_bytes()));
            }
            ScheduleFormat::Mscclpp => {
                let output = fabc_emit::collective_mscclpp(trace.fabric, scene, schedule)?;
                files.push((PathBuf::from(path), output.text.into_bytes()));
            }
            ScheduleFormat::Chakra => {
                let settings = ChakraSettings {
                    fabric: trace.fabric,
                    bytes: trace.bytes,
                    flight_bytes: trace.cost.flight_bytes(),
                };
                let output = fabc_emit::collective_chakra(scene, schedule, settings)?;
                let mut distinct = DistinctPaths::default();
                for file in output {
                    distinct.claim(&file.path)?;
                    files.push((Path::new(path).join(&file.path), file.bytes));
                }
            }
            ScheduleFormat::Trace => {
                let output = fabc_emit::collective_trace(scene, schedule, trace)?;
                notes.extend(output.notes);
                files.push((PathBuf::from(path), output.text.into_bytes()));
            }
            ScheduleFormat::ClosedTrace => {
                let output = fabc_emit::collective_closed_trace(scene, schedule, trace)?;
                notes.extend(output.notes);
                files.push((PathBuf::from(path), output.text.into_bytes()));
            }
            ScheduleFormat::Perfetto => {
                let text = fabc_emit::collective_perfetto(scene, schedule, trace)?;
                files.push((PathBuf::from(path), text.into_bytes()));
            }
        }
    }
    notes.iter().for_each(|note| terminal.note(note));
    for (path, bytes) in &files {
        write::remove_leftovers(path);
        write::write_file(path, bytes)?;
        terminal.detail(&format!("wrote {} ({})", path.display(), size_text(bytes.len())));
    }
    Ok(())
}
