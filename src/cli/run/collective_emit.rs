//! `fabc collective --emit`: one schedule, in the formats that are asked for.
//!
//! All files are made before the first one is written, so that what cannot be made leaves nothing behind.

use crate::io::errors::DriverError;
use crate::io::terminal::{Terminal, size};
use crate::io::write::{self, Distinct};
use fabc_base::diag::{closest, list};
use fabc_emit::TraceTold;
use fabc_ir::{Scene, Schedule};
use fabc_lang::syntax::join;
use std::path::{Path, PathBuf};

/// What can be written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    /// `fabc.collective/1`.
    Collective,
    /// MSCCL XML.
    Msccl,
    /// A Chakra trace per chip.
    Chakra,
    /// A trace of `fabc sim`.
    Trace,
}

impl Form {
    const ALL: [Form; 4] = [Form::Collective, Form::Msccl, Form::Chakra, Form::Trace];

    fn name(self) -> &'static str {
        match self {
            Form::Collective => "collective",
            Form::Msccl => "msccl",
            Form::Chakra => "chakra",
            Form::Trace => "trace",
        }
    }
    /// How it is asked for.
    fn place(self) -> &'static str {
        match self {
            Form::Collective => "collective=FILE",
            Form::Msccl => "msccl=FILE",
            Form::Chakra => "chakra=DIR",
            Form::Trace => "trace=FILE",
        }
    }
}

/// One `FORMAT=PATH`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Target {
    form: Form,
    path: String,
}

impl Target {
    /// Reads `FORMAT=PATH,FORMAT=PATH`.
    ///
    /// # Errors
    /// A format that is none, or without a path; two in one file.
    pub(crate) fn all(emit: &str) -> Result<Vec<Self>, DriverError> {
        let targets = emit.split(',').map(Self::read).collect::<Result<Vec<Self>, DriverError>>()?;
        for (at, second) in targets.iter().enumerate() {
            let same =
                |first: &&Self| first.form == second.form || join("", &first.path) == join("", &second.path);
            if let Some(first) = targets[..at].iter().find(same) {
                return Err(DriverError::OnePlace {
                    first: first.form.name(),
                    second: second.form.name(),
                    path: second.path.clone(),
                });
            }
        }
        Ok(targets)
    }

    /// Whether it says when messages start.
    pub(crate) fn is_timed(&self) -> bool {
        self.form == Form::Trace
    }

    fn read(text: &str) -> Result<Self, DriverError> {
        let (name, path) = text.split_once('=').unwrap_or((text, ""));
        let form = Form::ALL.into_iter().find(|form| form.name() == name).ok_or_else(|| {
            let near = closest(name, Form::ALL.map(Form::name))
                .map_or_else(String::new, |near| format!("did you mean `{near}`? "));
            DriverError::UnknownFormat {
                name: name.to_owned(),
                hint: format!("{near}a schedule is written as {}", list(&Form::ALL.map(Form::place))),
            }
        })?;
        if path.is_empty() {
            let lacks = match form {
                Form::Collective => "a file: `--emit collective=FILE`",
                Form::Msccl => "a file: `--emit msccl=FILE`",
                Form::Chakra => "a folder: `--emit chakra=DIR`",
                Form::Trace => "a file: `--emit trace=FILE`",
            };
            return Err(DriverError::OneSchedule { lacks });
        }
        Ok(Self { form, path: path.to_owned() })
    }
}

/// Writes a schedule in all these formats.
///
/// # Errors
/// A format cannot hold it; then nothing is written. The disk does not let us; every file is whole or as it
/// was.
pub(crate) fn write(
    targets: &[Target],
    told: &TraceTold<'_>,
    scene: &Scene<'_>,
    schedule: &Schedule,
    terminal: Terminal,
) -> Result<(), DriverError> {
    let (mut files, mut notes) = (Vec::new(), Vec::new());
    for Target { form, path } in targets {
        match form {
            Form::Collective => {
                let text = fabc_emit::collective_json(told.fabric, told.scenario, schedule);
                files.push((PathBuf::from(path), text.into_bytes()));
            }
            Form::Msccl => {
                let made = fabc_emit::collective_msccl(told.fabric, scene, schedule)?;
                notes.extend(made.notes);
                files.push((PathBuf::from(path), made.text.into_bytes()));
            }
            Form::Chakra => {
                let made = fabc_emit::collective_chakra(told.fabric, scene, schedule, told.bytes)?;
                let mut distinct = Distinct::default();
                for file in made {
                    distinct.claim(&file.path)?;
                    files.push((Path::new(path).join(&file.path), file.bytes));
                }
            }
            Form::Trace => {
                let made = fabc_emit::collective_trace(scene, schedule, told)?;
                notes.extend(made.notes);
                files.push((PathBuf::from(path), made.text.into_bytes()));
            }
        }
    }
    notes.iter().for_each(|note| terminal.note(note));
    for (path, bytes) in &files {
        write::take_away_leftovers(path);
        write::write(path, bytes)?;
        terminal.detail(&format!("wrote {} ({})", path.display(), size(bytes.len())));
    }
    Ok(())
}
