//! The cases of bad arrays: sparse tables, NumPy arrays, images.

use super::Case;
use super::files::{CLASSES, GOOD, bad};
use crate::array;

/// Entries of four rows and two columns.
pub(super) const MARKET: &str =
    "%%MatrixMarket matrix coordinate real general\n4 2 3\n1 1 1\n2 2 0.5\n4 1 2\n";

/// Matrix Market files, and their targets.
fn sparse() -> Vec<Case> {
    let of = |says, text: &str, words, mended: &str| {
        let case = bad(says, "x.mtx", text).file("y.csv", CLASSES).command("fit x.mtx,y.csv");
        case.edit(words, mended)
    };
    let entry = |says, line: &str, words| of(says, &MARKET.replace("1 1 1", line), words, MARKET);
    let first =
        |says, from: &str, to: &str, words| of(says, &MARKET.replace(from, to), words, MARKET);
    let targets = |says, text: &str, words, mended: &str| {
        let case = bad(says, "y.csv", text).file("x.mtx", MARKET).command("fit x.mtx,y.csv");
        case.edit(words, mended)
    };
    vec![
        of(
            "x.mtx, line 3 is longer than",
            &MARKET.replace("1 1 1", &"1 1 1".repeat(1 << 14)),
            "write one entry per line",
            MARKET,
        ),
        entry("line 3: \"1 1\" is no entry", "1 1", "write row, column and value"),
        entry("\"9\" is no row", "9 1 1", "give a whole number from 1 to 4"),
        entry("\"3\" is no column", "1 3 1", "give a whole number from 1 to 2"),
        entry("\"nan\" is no value", "1 1 nan", "give a finite number"),
        of(
            "the header promises 3 entries, and there are more",
            &format!("{MARKET}3 2 1\n"),
            "correct either",
            MARKET,
        ),
        first("promises 4 entries, the file holds 3", "4 2 3", "4 2 4", "fetch or save it again"),
        first(
            "\"4 2\" is no size",
            "4 2 3",
            "4 2",
            "write rows, columns and the number of entries",
        ),
        first("\"-4\" is no size", "4 2 3", "-4 2 3", "give a whole number below 4294967295"),
        of(
            "has no line with its size",
            &MARKET[..46],
            "write rows, columns and the number of entries",
            MARKET,
        ),
        first("its values are \"complex\"", "real", "complex", "save it as real"),
        first("its symmetry is \"hermitian\"", "general", "hermitian", "save it as general"),
        first("called symmetric and is 4 x 2", "general", "symmetric", "save it as general"),
        first("it holds a dense array", "coordinate", "array", "save it as coordinates")
            .instead(", or as .npy", "fit x.npy,y.npy")
            .file("x.npy", numbers(2))
            .file("y.npy", numbers(1))
            .instead("or .csv", "fit t.csv")
            .file("t.csv", GOOD),
        first(
            "not %%MatrixMarket matrix coordinate real general",
            " matrix coordinate",
            "",
            "give a Matrix Market file",
        ),
        first("row 1, column 1 has two entries", "2 2 0.5", "1 1 0.5", "keep one of them")
            .edit(", or their sum", &MARKET.replace("2 2 0.5", "2 2 1.5")[..]),
        first(
            "has 4000000 rows and only 3 entries",
            "4 2 3",
            "4000000 2 3",
            "leave out rows without an entry",
        ),
        targets(
            "x.mtx has 4 rows and y.csv has 3",
            "y\nu\nv\nu\n",
            "give the targets of these rows, a line each below a header",
            CLASSES,
        ),
        bad("column \"y\" holds text or missing values", "y.csv", CLASSES)
            .file("x.mtx", MARKET)
            .command("fit x.mtx,y.csv --task regression --max-iterations 2")
            .edit("correct it", "y\n1\n2\n1\n2.5\n")
            .instead(", or read it as classes", "fit x.mtx,y.csv"),
        bad("y.csv is a NumPy array, not CSV text", "y.csv", numbers(1))
            .file("x.mtx", MARKET)
            .command("fit x.mtx,y.csv")
            .edit("save it as .csv", CLASSES),
        bad("is a sparse table without its targets", "x.mtx", MARKET)
            .file("y.csv", CLASSES)
            .file("x.npz", corpus("npz/csr.npz"))
            .command("fit x.mtx")
            .file("five.csv", "y\nu\nv\nu\nv\nu\n")
            .instead("give the pair FILE.mtx,TARGETS.csv", "fit x.mtx,y.csv")
            .instead("FILE.npz,TARGETS.csv", "fit x.npz,five.csv"),
    ]
}

/// NumPy arrays.
fn arrays() -> Vec<Case> {
    let features = |says, bytes: Vec<u8>, words, mended: Vec<u8>| {
        let case = bad(says, "x.npy", bytes).file("y.npy", numbers(1)).command("fit x.npy,y.npy");
        case.edit(words, mended)
    };
    let target = |says, bytes: Vec<u8>, words, mended: Vec<u8>| {
        let case = bad(says, "y.npy", bytes).file("x.npy", numbers(2)).command("fit x.npy,y.npy");
        case.edit(words, mended)
    };
    let text = |classes: &str| npy("|S1", "(4,)", classes.as_bytes());
    let nan = array(&[vec![f64::NAN], vec![1.0; 7]].concat(), 2);
    let short = &numbers(2)[..140];
    vec![
        features(
            "is of shape 8",
            npy("<f8", "(8,)", &[0; 64]),
            "save x.reshape(-1, 1)",
            numbers(2),
        ),
        features(
            "is of shape 4 x 1 x 2",
            npy("<f8", "(4, 1, 2)", &[0; 64]),
            "save x.reshape(len(x), -1)",
            numbers(2),
        ),
        features(
            "of shape 0 x 2 and holds no value",
            npy("<f8", "(0, 2)", &[]),
            "save an array with rows",
            numbers(2),
        ),
        features(
            "holds Python objects",
            npy("|O", "(4, 2)", b"\x80\x04."),
            "save it as numbers (astype(float))",
            numbers(2),
        ),
        target(
            "holds Python objects",
            npy("|O", "(4,)", b"\x80\x04."),
            "save it as numbers (astype(float))",
            numbers(1),
        )
        .edit("as text (astype(str))", text("uvuv")),
        features(
            "the header of x.npy promises 4 x 2 values",
            short.to_vec(),
            "save it again",
            numbers(2),
        ),
        features("", nan, "fill the values in", numbers(2))
            .instead("remove the rows", "fit x3.npy,y3.npy")
            .file("x3.npy", npy("|u1", "(3, 2)", &[1, 2, 2, 1, 3, 1]))
            .file("y3.npy", npy("|u1", "(3,)", &[1, 0, 1])),
        features(
            "is not a NumPy array",
            npy("<f8", "(4, 2", &[0; 64]),
            "save it with np.save",
            numbers(2),
        ),
        target(
            "is of shape 4 x 2, and a target has one value per row",
            numbers(2),
            "save one column, as in y[:, 0]",
            numbers(1),
        ),
        target(
            "is of shape 2 x 4",
            npy("<f8", "(2, 4)", &[0; 64]),
            "give the features first and the target second",
            numbers(1),
        ),
        target(
            "x.npy has 4 rows and y.npy has 3 values",
            npy("|u1", "(3,)", &[0, 1, 0]),
            "give the two arrays of one set",
            numbers(1),
        ),
        target("the class of row 2 is empty", text("u\0uv"), "name the class", text("uvuv"))
            .instead("remove the row", "fit x3.npy,y3.npy")
            .file("x3.npy", npy("|u1", "(3, 2)", &[1, 2, 2, 1, 3, 1]))
            .file("y3.npy", npy("|S1", "(3,)", b"uuv")),
        target(
            "y.npy: no row has a class",
            array(&[f64::NAN; 4], 1),
            "give a class to some rows",
            numbers(1),
        ),
        bad("none.npy: there is no such file", "x.npy", numbers(2))
            .command("fit x.npy,none.npy")
            .file("y.npy", numbers(1))
            .instead("check the path", "fit x.npy,y.npy"),
        target(
            "is an archive of arrays (.npz)",
            corpus("npz/stored.npz"),
            "give it alone, with its arrays X and y",
            numbers(1),
        )
        .edit(", or save each array with np.save", numbers(1)),
        target("y.npy is not a NumPy array", CLASSES.into(), "save it with np.save", numbers(1)),
    ]
}

/// IDX arrays and labels of images.
fn images() -> Vec<Case> {
    let images = || idx(8, &[4, 1, 2], &[1, 2, 2, 1, 3, 2, 4, 1]);
    let labels = || idx(8, &[4], &[0, 1, 0, 1]);
    let of_images = |says, bytes: Vec<u8>, words| {
        let case = bad(says, "images", bytes).file("labels", labels());
        case.command("fit images,labels").edit(words, images())
    };
    let of_labels = |says, bytes: Vec<u8>, words| {
        let case = bad(says, "labels", bytes).file("images", images());
        case.command("fit images,labels").edit(words, labels())
    };
    vec![
        of_labels(
            "holds 4 images and labels holds 3 labels",
            idx(8, &[3], &[0, 1, 0]),
            "give the two files of one set",
        ),
        of_labels("labels is of shape 4 x 1 x 2", images(), "give IMAGES first and LABELS second"),
        of_labels(
            "labels has 2 columns",
            "y,z\n0,1\n1,0\n0,1\n1,0\n".into(),
            "keep the label column alone",
        ),
        of_labels(
            "labels, line 3 is blank",
            "y\n0\n\n1\n0\n1\n".into(),
            "in a file of one column give every line a value",
        ),
        of_labels("labels is not an IDX file", numbers(1), "give an idx-ubyte file"),
        of_images(
            "images holds one number per row (labels?)",
            labels(),
            "give IMAGES first and LABELS second",
        ),
        of_images(
            "is of shape 0 x 1 x 2 and holds no pixel",
            idx(8, &[0, 1, 2], &[]),
            "give a file with images",
        ),
        of_images(
            "images ends within its header, after 8 of 16 bytes",
            images()[..8].to_vec(),
            "fetch it again",
        ),
        of_images(
            "the header of images promises 4 x 1 x 2 bytes",
            images()[..20].to_vec(),
            "fetch it again",
        ),
        bad("holds 32-bit floats (type 0d)", "images", idx(13, &[4, 1, 2], &[0; 32]))
            .file("labels", labels())
            .file("x.npy", numbers(2))
            .file("y.npy", numbers(1))
            .command("fit images,labels")
            .instead("save it as .npy instead", "fit x.npy,y.npy"),
    ]
}

/// A file of the corpus of the readers.
pub(super) fn corpus(name: &str) -> Vec<u8> {
    std::fs::read(crate::corpus(name)).unwrap()
}

/// Four rows of so many small whole numbers.
pub(super) fn numbers(columns: usize) -> Vec<u8> {
    let values = (0..4 * columns).map(|at| f64::from(u8::from(at / columns % 2 == 1)));
    array(&values.collect::<Vec<_>>(), columns)
}

/// A NumPy file of values of any type.
pub(super) fn npy(kind: &str, shape: &str, bytes: &[u8]) -> Vec<u8> {
    // A type of fields is a list.
    let kind = if kind.starts_with('[') { kind.to_string() } else { format!("'{kind}'") };
    let header = format!("{{'descr': {kind}, 'fortran_order': False, 'shape': {shape}, }}");
    [b"\x93NUMPY\x01\x00v\x00", format!("{header:117}\n").as_bytes(), bytes].concat()
}

pub(super) fn idx(kind: u8, sizes: &[u32], bytes: &[u8]) -> Vec<u8> {
    let rank = u8::try_from(sizes.len()).unwrap();
    let sizes: Vec<u8> = sizes.iter().flat_map(|size| size.to_be_bytes()).collect();
    [&[0, 0, kind, rank], &sizes[..], bytes].concat()
}

pub(super) fn all() -> Vec<Case> {
    [sparse(), arrays(), images()].into_iter().flatten().collect()
}

#[test]
fn the_cures_of_bad_arrays_work() {
    super::check_all(&all());
}
