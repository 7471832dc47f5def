//! Paths of files, and the URIs that editors give them (RFC 8089, RFC 3986).

use lsp_types::Uri;

/// The path of a `file:` URI. `None` for any other URI, such as that of a text that was never saved.
pub(super) fn path_of_uri(uri: &Uri) -> Option<String> {
    let rest = uri.as_str().strip_prefix("file://")?;
    // The host is empty or `localhost`.
    let path_start = rest.find('/')?;
    if !matches!(&rest[..path_start], "" | "localhost") {
        return None;
    }
    let (mut bytes, mut remaining) = (Vec::new(), rest[path_start..].bytes());
    while let Some(byte) = remaining.next() {
        bytes.push(match byte {
            b'%' => {
                let digits = [remaining.next()?, remaining.next()?];
                u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
            }
            other => other,
        });
    }
    let path = String::from_utf8(bytes).ok()?;
    // `/C:/pods/one.fab`
    let drive = path.as_bytes().get(2) == Some(&b':') && path.as_bytes()[1].is_ascii_alphabetic();
    Some(if drive { path[1..].to_owned() } else { path })
}

/// The `file:` URI of a path.
pub(super) fn uri_of_path(path: &str) -> Option<Uri> {
    let mut name = String::from(if path.starts_with('/') { "file://" } else { "file:///" });
    for byte in path.replace('\\', "/").bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                name.push(char::from(byte))
            }
            other => name += &format!("%{other:02X}"),
        }
    }
    name.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_come_back() {
        for path in ["/pods/one.fab", "/a b/µ#%.fab", "C:/pods/x.fab"] {
            assert_eq!(path_of_uri(&uri_of_path(path).unwrap()).as_deref(), Some(path));
        }
        for other in ["untitled:one", "file://host/x", "file:///%zz", "https://x/y"] {
            assert_eq!(other.parse().ok().and_then(|uri| path_of_uri(&uri)), None, "{other}");
        }
        assert_eq!(path_of_uri(&"file://localhost/x".parse().unwrap()).as_deref(), Some("/x"));
    }
}
