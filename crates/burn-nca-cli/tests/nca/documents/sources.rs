//! Where Rust of the documents is compiled: in a doc test of its document, or as a part of a source file.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::extract::Shown;
use super::files;

/// The source files of the workspace.
pub struct Sources {
    root: PathBuf,
    /// Each as [`reduced`] leaves it.
    texts: Vec<String>,
    /// The documents that a source file includes for rustdoc.
    tested: BTreeSet<PathBuf>,
}

impl Sources {
    /// Reads the source files of a workspace.
    pub fn read(root: &Path) -> Self {
        let (mut texts, mut tested) = (Vec::new(), BTreeSet::new());
        for path in files("rs").into_iter().map(|name| root.join(name)) {
            let text = fs::read_to_string(&path).unwrap();
            let included = text.split("include_str!(\"").skip(1);
            let names = included.filter_map(|rest| rest.split_once('"')).map(|(name, _)| name);
            tested.extend(
                names
                    .filter(|name| name.ends_with(".md"))
                    .filter_map(|name| path.parent()?.join(name).canonicalize().ok()),
            );
            texts.push(reduced(&text));
        }
        Self { root: root.to_path_buf(), texts, tested }
    }

    /// Why nothing compiles a block.
    pub fn failure(&self, block: &Shown) -> Option<String> {
        let name = block.place.split(':').next().unwrap_or_default();
        let document = self.root.join(name).canonicalize().unwrap();
        if block.attribute != "ignore" && self.tested.contains(&document) {
            return None;
        }
        let code = reduced(&block.code);
        // `{ .. }` stands for a body that the document leaves out.
        let pieces: Vec<&str> = code.split("{..}").collect();
        let is_in = |text: &String| {
            let mut pieces = pieces.iter();
            pieces.try_fold(text.as_str(), |rest, piece| Some(rest.split_once(piece)?.1)).is_some()
        };
        (!self.texts.iter().any(is_in)).then(|| {
            format!(
                "{}: no doc test compiles this Rust and it is in no source file; for documents without a program of \
                 their own there is tests/acceptance/tests/documents",
                block.place
            )
        })
    }
}

/// Code without what rustfmt may change: blanks, and commas before a closing bracket. Comments go too.
fn reduced(code: &str) -> String {
    let lines = code.lines().map(|line| line.split("//").next().unwrap_or_default());
    let mut text: String = lines.flat_map(str::chars).filter(|c| !c.is_whitespace()).collect();
    for bracket in [")", "]", "}"] {
        text = text.replace(&format!(",{bracket}"), bracket);
    }
    text
}
