//! The cases of bad archives of arrays (`.npz`), and of sparse tables in them.

use flate2::Crc;

use super::Case;
use super::arrays::{corpus, npy, numbers};
use super::files::{CLASSES, GOOD, bad};

/// Archives of the arrays X and y.
fn arrays() -> Vec<Case> {
    let of = |says, bytes: Vec<u8>, words, mended: Vec<u8>| {
        bad(says, "x.npz", bytes).command("fit x.npz").edit(words, mended)
    };
    let table = |x: Vec<u8>, y: Vec<u8>| zip(&[("X.npy", x), ("y.npy", y)]);
    let good = || table(numbers(2), numbers(1));
    // What follows each of these marks by so many bytes.
    let changed = |mark: &[u8], after: usize, to: u8| {
        let mut bytes = good();
        let marks = (0..bytes.len()).filter(|&at| good()[at..].starts_with(mark));
        marks.for_each(|at| bytes[at + after] = to);
        bytes
    };
    vec![
        of(
            "holds the arrays \"arr_0\", and its features",
            zip(&[("arr_0.npy", numbers(2))]),
            "save np.savez(FILE, X=X, y=y)",
            good(),
        ),
        of("the zip archive is damaged", good()[..300].to_vec(), "fetch or save it again", good()),
        of(
            "X: the zip archive is damaged here",
            changed(b"PK\x01\x02", 42, 7),
            "fetch or save it again",
            good(),
        ),
        of(
            "X: the zip data are damaged",
            changed(b"NUMPY", 130, 1),
            "fetch or write the file again",
            good(),
        ),
        of("packed by method 12", changed(b"PK\x01\x02", 10, 12), "save it with np.savez", good()),
        of(
            "x.npz is a zip archive without a NumPy array",
            changed(b".npy", 3, b'x'),
            "save arrays with np.savez(FILE, X=X, y=y)",
            good(),
        )
        .edit("unpack it (unzip)", GOOD),
        of(
            "x.npz is a workbook of Excel",
            zip(&[("xl/workbook.xml", Vec::new())]),
            "save the sheet as CSV",
            GOOD.into(),
        ),
        of(
            "x.npz: X is of shape 8",
            table(npy("<f8", "(8,)", &[0; 64]), numbers(1)),
            "save x.reshape(-1, 1)",
            good(),
        ),
        of(
            "x.npz: X has 4 rows and x.npz: y has 3 values",
            table(numbers(2), npy("|u1", "(3,)", &[0, 1, 0])),
            "give the two arrays of one set",
            good(),
        ),
    ]
}

/// Sparse tables, as `scipy.sparse.save_npz` writes them.
fn sparse() -> Vec<Case> {
    let of = |says, bytes: Vec<u8>, words, mended: Vec<u8>| {
        let case = bad(says, "x.npz", bytes).file("y.csv", CLASSES).command("fit x.npz,y.csv");
        case.edit(words, mended)
    };
    let shape = || whole(&[4, 2]);
    let good = || csr(shape(), &[0, 1, 0], &[0, 1, 2, 2, 3], &[1.0, 0.5, 2.0]);
    let again = "save the table again";
    let places = |indices: &[i64]| csr(shape(), indices, &[0, 1, 2, 2, 3], &[1.0, 0.5, 2.0]);
    let starts = |starts: &[i64]| csr(shape(), &[0, 1, 0], starts, &[1.0, 0.5, 2.0]);
    let values = |values: &[f64]| csr(shape(), &[0, 1, 0], &[0, 1, 2, 2, 3], values);
    let coo = zip(&[
        ("row.npy", whole(&[0, 1])),
        ("col.npy", whole(&[0, 1, 0])),
        ("format.npy", npy("|S3", "()", b"coo")),
        ("shape.npy", shape()),
        ("data.npy", floats(&[1.0, 0.5, 2.0])),
    ]);
    let without = zip(&[
        ("indices.npy", whole(&[0, 1, 0])),
        ("format.npy", npy("|S3", "()", b"csr")),
        ("shape.npy", shape()),
        ("data.npy", floats(&[1.0, 0.5, 2.0])),
    ]);
    let table = || zip(&[("X.npy", numbers(2)), ("y.npy", numbers(1))]);
    vec![
        of(
            "x.npz has 3 dimensions",
            csr(whole(&[4, 2, 1]), &[], &[], &[]),
            "save rows and columns",
            good(),
        ),
        of("x.npz: indices holds -1, not a place", places(&[0, -1, 0]), again, good()),
        of("arrays contradict each other", places(&[0, 1]), again, good()),
        of("arrays contradict each other", starts(&[0, 1, 2, 3]), again, good()),
        of("arrays contradict each other", starts(&[0, 2, 1, 2, 3]), again, good()),
        of("arrays contradict each other", starts(&[0, 1, 2, 2, 9]), again, good()),
        of("arrays contradict each other", coo, again, good()),
        of("x.npz lacks the array indptr", without, "save it with scipy.sparse.save_npz", good()),
        of("an entry in row 2, column 8 of 2 columns", places(&[0, 7, 0]), "correct it", good()),
        of("row 2, column 2 is NaN", values(&[1.0, f64::NAN, 2.0]), "fill the value in", good())
            .edit("remove the entry or", csr(shape(), &[0, 0], &[0, 1, 1, 1, 2], &[1.0, 2.0])),
        of(
            "row 1, column 1 has two entries",
            csr(shape(), &[0, 0, 1, 0], &[0, 2, 3, 3, 4], &[1.0, 1.0, 0.5, 2.0]),
            "keep one of them",
            good(),
        )
        .edit(", or their sum", good()),
        of(
            "has 4000000 rows and only 3 entries",
            csr(whole(&[4_000_000, 2]), &[0, 1, 0], &[0, 1, 2, 2, 3], &[1.0, 0.5, 2.0]),
            "leave out rows without an entry",
            good(),
        ),
        of(
            "its format is bsr, and csr, csc and coo are read",
            corpus("npz/bsr.npz"),
            "save it with .tocsr()",
            good(),
        ),
        of(
            "holds arrays, not a sparse table with its format",
            table(),
            ", and a sparse table is saved with scipy.sparse.save_npz",
            good(),
        )
        .instead("an archive of the arrays X and y is given alone", "fit x.npz"),
    ]
}

fn whole(values: &[i64]) -> Vec<u8> {
    vector("<i8", values.iter().map(|value| value.to_le_bytes()))
}

fn floats(values: &[f64]) -> Vec<u8> {
    vector("<f8", values.iter().map(|value| value.to_le_bytes()))
}

/// A NumPy vector of values of eight bytes each.
fn vector(kind: &str, values: impl ExactSizeIterator<Item = [u8; 8]>) -> Vec<u8> {
    npy(kind, &format!("({},)", values.len()), &values.flatten().collect::<Vec<_>>())
}

/// A sparse table by rows.
fn csr(shape: Vec<u8>, indices: &[i64], starts: &[i64], values: &[f64]) -> Vec<u8> {
    zip(&[
        ("indices.npy", whole(indices)),
        ("indptr.npy", whole(starts)),
        ("format.npy", npy("|S3", "()", b"csr")),
        ("shape.npy", shape),
        ("data.npy", floats(values)),
    ])
}

/// An archive of stored files, as `np.savez` writes it.
fn zip(files: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let (mut bytes, mut index) = (Vec::new(), Vec::new());
    for (name, held) in files {
        let mut checksum = Crc::new();
        checksum.update(held);
        let (sum, size) = (checksum.sum().to_le_bytes(), (held.len() as u32).to_le_bytes());
        let named = [name.len() as u8, 0, 0, 0];
        let of_file = [&[20, 0, 0, 0, 0, 0, 0, 0, 0, 0][..], &sum, &size, &size, &named].concat();
        let start = (bytes.len() as u32).to_le_bytes();
        bytes.extend([b"PK\x03\x04", &of_file[..], name.as_bytes(), held].concat());
        index.extend(
            [b"PK\x01\x02\x14\0", &of_file[..], &[0; 10], &start, name.as_bytes()].concat(),
        );
    }
    let (count, start) = ([files.len() as u8, 0], (bytes.len() as u32).to_le_bytes());
    let size = (index.len() as u32).to_le_bytes();
    [&bytes[..], &index, b"PK\x05\x06\0\0\0\0", &count, &count, &size, &start, &[0, 0]].concat()
}

pub(super) fn all() -> Vec<Case> {
    [arrays(), sparse()].into_iter().flatten().collect()
}

#[test]
fn the_cures_of_bad_archives_work() {
    super::check_all(&all());
}
