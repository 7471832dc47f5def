//! `fabc verify --signed-by FILE`: whether the manifest of every named directory is signed.
//!
//! A manifest has the hashes of all other files, and that of a repair, a plan or a placement also the hash of
//! the manifest that it starts from. So signed manifests are a chain. `ssh-keygen -Y sign -n fabc -f KEY
//! DIR/manifest.json` writes the signature beside it.

use super::signers::{AllowedSigner, NAMESPACE, read_signers};
use crate::args::verify::VerifyArgs;
use crate::io::errors::DriverError;
use crate::io::folder::DiskFolder;
use crate::io::read::{self, SIGNATURE, display};
use crate::io::signature_errors::SignatureError;
use crate::io::staging::MANIFEST;
use crate::io::stop::Stop;
use crate::operate::place::START;
use crate::verify::verdict::SignedDirectory;
use fabc_base::limits::{ARTIFACT_BYTES, SPEC_BYTES};
use fabc_ir::read::{Manifest, tagged};
use fabc_pipeline::operate::manifest_hash;
use ssh_key::{HashAlg, SshSig};
use std::path::Path;

/// Checks the signatures of all directories that the options name, and where a placement starts.
///
/// # Errors
/// [`SignatureError`] for a directory that nobody of the file has signed, and for a broken chain.
pub(crate) fn check_signatures(args: &VerifyArgs) -> Result<Vec<SignedDirectory>, Stop> {
    let Some(path) = &args.signed_by else { return Ok(Vec::new()) };
    let signers = read_signers(&read::read_text(&display(path), SPEC_BYTES as u64)?, &display(path))?;
    let named = [&args.directory, &args.repair, &args.plan, &args.from, &args.running];
    let signed = named.into_iter().flatten().map(|directory| signed_directory(directory, &signers));
    let signed = signed.collect::<Result<Vec<_>, _>>()?;
    if let (Some(directory), Some(start), None, None) =
        (&args.directory, &args.from, &args.repair, &args.plan)
    {
        check_start(directory, start)?;
    }
    Ok(signed)
}

/// Checks that a placement starts from a directory.
fn check_start(directory: &Path, start: &Path) -> Result<(), Stop> {
    let other = |problem: String| SignatureError::OtherStart {
        directory: display(directory),
        start: display(start),
        problem,
    };
    let bytes = read::read_bytes(&directory.join(MANIFEST), ARTIFACT_BYTES)?;
    let manifest: Manifest = tagged(&bytes).map_err(|problem| other(format!("`{MANIFEST}`: {problem}")))?;
    let found = manifest_hash(&DiskFolder::new(start))?;
    match manifest.options.0.get(START) {
        Some(hash) if *hash == found => Ok(()),
        Some(hash) => {
            Err(other(format!("it starts from the manifest {hash}, and that of the latter is {found}"))
                .into())
        }
        None => Err(other("it starts from no other placement".to_owned()).into()),
    }
}

fn signed_directory(directory: &Path, signers: &[AllowedSigner]) -> Result<SignedDirectory, DriverError> {
    let not_signed = |problem: String, hint: String| SignatureError::NotSigned {
        directory: display(directory),
        problem,
        hint,
    };
    let (manifest_path, path) = (directory.join(MANIFEST), directory.join(SIGNATURE));
    let how = format!("`ssh-keygen -Y sign -n {NAMESPACE} -f KEY {}` signs it", display(&manifest_path));
    let manifest = read::read_bytes(&manifest_path, ARTIFACT_BYTES).map_err(|_| {
        not_signed(
            format!("there is no `{MANIFEST}`"),
            "sign what a build, repair, plan or place has written".to_owned(),
        )
    })?;
    if !path.is_file() {
        return Err(not_signed(format!("there is no `{SIGNATURE}`"), how).into());
    }
    let bytes = read::read_bytes(&path, ARTIFACT_BYTES)?;
    let signature = SshSig::from_pem(&bytes)
        .map_err(|error| not_signed(format!("`{SIGNATURE}` is no signature of SSH: {error}"), how.clone()))?;
    let fingerprint = signature.public_key().fingerprint(HashAlg::Sha256).to_string();
    let by_key = |signer: &&AllowedSigner| signer.key.key_data() == signature.public_key();
    let known: Vec<&AllowedSigner> = signers.iter().filter(by_key).collect();
    let Some(signer) = known.iter().find(|signer| signer.may_sign()) else {
        let problem = match known.first() {
            None => format!("its key {fingerprint} is not that of an allowed signer"),
            Some(signer) => format!("{} may not sign in the namespace `{NAMESPACE}`", signer.principals),
        };
        let hint = "a line of the file of signers allows a key".to_owned();
        return Err(not_signed(problem, hint).into());
    };
    if signature.namespace() != NAMESPACE {
        let problem =
            format!("its signature is in the namespace `{}`, not in `{NAMESPACE}`", signature.namespace());
        return Err(not_signed(problem, how).into());
    }
    signer.key.verify(NAMESPACE, &manifest, &signature).map_err(|_| {
        let problem = format!("the signature of {} is not of this `{MANIFEST}`", signer.principals);
        let hint = "one of both was changed. Keys are of the types ED25519, ECDSA on P-256, and those of security tokens";
        not_signed(problem, hint.to_owned())
    })?;
    Ok(SignedDirectory { directory: display(directory), principals: signer.principals.clone(), fingerprint })
}
