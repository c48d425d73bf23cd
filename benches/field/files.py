"""Files as spreadsheets, loggers, databases and other programs write them."""

import bz2
import gzip
import io
import tarfile
import zipfile

import numpy as np

from tools import blobs, case, check, header_of, near, rows_of

FEATURES, LABELS = blobs()
HEADER, ROWS = header_of(3), rows_of(FEATURES, LABELS)


def text(rows=None, separator=","):
    return "".join(separator.join(row) + "\n" for row in [HEADER] + (rows or ROWS))


def archive(content):
    """A tar archive of one file."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        entry = tarfile.TarInfo("t.csv")
        entry.size = len(content)
        tar.addfile(entry, io.BytesIO(content))
    return packed.getvalue()


def same_as_plain(place, name, content, *options):
    """The fit of a file is that of the plain table."""
    place.write("plain.csv", text())
    place.write(name, content)
    plain = place.fit("plain.csv").ok().json
    found = place.fit(name, *options).ok().json
    check(found["data"]["rows"] == plain["data"]["rows"], f"{found['data']['rows']} rows of {plain['data']['rows']}")
    near(found["g"], plain["g"], 1e-9, "g")


@case("separator at the end of every line", "deephaven-core#1800", "the table without that column")
def _(place):
    same_as_plain(place, "t.csv", text().replace("\n", ",\n"))


@case("separator at the end of data lines only", "pandas#14124", "no column is shifted")
def _(place):
    head, body = text().split("\n", 1)
    same_as_plain(place, "t.csv", head + "\n" + body.replace("\n", ",\n"))


@case("separator at the end of the first row only", "pandas#9295", "no column is shifted")
def _(place):
    same_as_plain(place, "t.csv", text().replace(",".join(ROWS[0]), ",".join(ROWS[0]) + ","))


@case("separator at the end of the header only", "FSharp.Data#688", "the table without that column")
def _(place):
    same_as_plain(place, "t.csv", text().replace("class\n", "class,\n"))


@case("header one shorter than the rows", "pandas#41304", "refused, and the row names of R are named as a cause")
def _(place):
    rows = [[f'"{at}"', *row] for at, row in enumerate(ROWS)]
    place.table("t.csv", HEADER, rows)
    place.fit("t.csv").refused("5 values where the header names 4 columns", "as R writes them")


@case("unnamed index column", "own", "refused with a cure that works, or named among the features")
def _(place):
    rows = [[at, *row] for at, row in enumerate(ROWS)]
    place.table("t.csv", ["", *HEADER], rows)
    place.fit("t.csv").refused("column 1 has no name")
    place.fit("t.csv", "--ignore", "").ok()
    place.table("u.csv", ["Unnamed: 0", *HEADER], rows)
    place.fit("u.csv").says("Unnamed: 0", "--ignore")


@case("byte order mark and a quoted header", "pandas#4793", "the first name has neither mark nor quotes")
def _(place):
    content = b"\xef\xbb\xbf" + text().replace("x0,x1,x2,class", '"x0","x1","x2","class"').encode()
    same_as_plain(place, "t.csv", content, "--features", "x0,x1,x2")


@case("UTF-16 without a byte order mark", "csvkit#927", "refused, with the encoding that reads it")
def _(place):
    for encoding in ("utf-16le", "utf-16be"):
        place.write("t.csv", text().encode(encoding))
        place.fit("t.csv").refused(f"--encoding {encoding}")
        same_as_plain(place, "t.csv", text().encode(encoding), "--encoding", encoding)


@case("NUL characters", "pandas#66524", "refused where they are; never cut off or part of a class")
def _(place):
    number, label = text().replace(ROWS[4][1], ROWS[4][1] + "\0", 1), text().replace(",a\n", ",a\0\n", 1)
    place.write("number.csv", number)
    place.fit("number.csv").refused('column "x1"')
    place.write("label.csv", label)
    place.fit("label.csv").refused('column "class"', "NUL")
    place.fit("label.csv", "--missing", "drop").refused('column "class"', "NUL")


@case("row of units below the header", "KernelAgent#134, q#68", "refused, and the row is named as one of units")
def _(place):
    place.table("t.csv", HEADER, [["mm", "mm", "s", ""], *ROWS])
    place.fit("t.csv").refused("line 2 (row 1)", "units")
    place.table("typed.csv", HEADER, [["float", "float", "float", "string"], *ROWS])
    place.fit("typed.csv").refused("line 2 (row 1)", "units")
    place.table("infinite.csv", HEADER, [["inf", *ROWS[0][1:]], *ROWS])
    run = place.fit("infinite.csv").refused("line 2 (row 1)", "infinite")
    check("units" not in run.err, run.err.strip()[-200:])


@case("header of two lines", "own", "refused with the row")
def _(place):
    place.write("t.csv", "size,,time,\n" + text())
    place.fit("t.csv").refused()


@case("decimal comma and thousands point", "polars#18797", "refused with the cell; never 1.899")
def _(place):
    def german(value):
        return f"{value * 1000:,.2f}".translate(str.maketrans(",.", ".,"))

    rows = [[*(german(value) for value in row), "abc"[label]] for row, label in zip(FEATURES, LABELS)]
    place.table("t.csv", HEADER, rows, ";")
    place.fit("t.csv").refused("thousands separators")
    place.fit("t.csv", "--decimal", "comma").refused("thousands separators")
    place.fit("t.csv", "--categorical", "auto").refused("thousands separators")


@case("the cell that is blamed is the bad one", "pandas#59299", "the cell with the point, not those with commas")
def _(place):
    rows = [[value.replace(".", ",") for value in row] for row in ROWS]
    rows[30][1] = "1.234,56"
    place.table("t.csv", HEADER, rows, ";")
    place.fit("t.csv", "--decimal", "comma").refused("line 32 (row 31)", "1.234,56")
    rows[30][1] = "1234,56"
    place.table("t.csv", HEADER, rows, ";")
    place.fit("t.csv", "--decimal", "comma").ok()


@case("mixed line ends", "data.table#1183, PapaParse#1123", "the same table")
def _(place):
    ends = ("\n", "\r\n", "\r")
    lines = [line + ends[at % 3] for at, line in enumerate(text().strip().split("\n"))]
    same_as_plain(place, "t.csv", "".join(lines))


@case("blank lines", "own", "the same table")
def _(place):
    lines = text().split("\n")
    same_as_plain(place, "t.csv", "\n\n".join(lines[:9]) + "\n  \n\t\n" + "\n".join(lines[9:]) + "\n\n")


@case("quoted line ends and a very long field", "own", "the same table without that column")
def _(place):
    note = ['"one\nline ""two"", x"' if at else '"' + "z" * 300_000 + '"' for at in range(len(ROWS))]
    place.write("plain.csv", text())
    place.table("t.csv", ["note", *HEADER], [[cell, *row] for cell, row in zip(note, ROWS)])
    found, plain = (place.fit(*of).ok().json["g"] for of in (("t.csv", "--ignore", "note"), ("plain.csv",)))
    near(found, plain, 1e-9, "g")


@case("quotation marks escaped by backslashes", "polars#3074, polars#15022", "refused, with how it is written")
def _(place):
    rows = [[row[0], '"say \\"hi\\", then go"', row[3]] for row in ROWS]
    place.table("t.csv", ["a", "note", "class"], rows)
    place.fit("t.csv", "--ignore", "note").refused("line 2 (row 1)", "twice")


@case("spaces after separators", "polars#14530", "the same table")
def _(place):
    same_as_plain(place, "t.csv", text().replace(",", ",   "))


@case("numbers without a leading or trailing digit", "arrow-rs#830", "the same numbers")
def _(place):
    rows = [[value.replace("0.", ".", 1) if value.lstrip("-").startswith("0.") else value for value in row] for row in ROWS]
    check(rows != ROWS, "no such number is in the table")
    same_as_plain(place, "t.csv", text(rows))


@case("whole numbers first, a fraction at the end", "polars#12692", "numbers throughout")
def _(place):
    rows = [[at if at < 590 else at + 0.5, at % 7, "ab"[at % 2]] for at in range(600)]
    place.table("t.csv", ["a", "b", "class"], rows)
    check(place.fit("t.csv", "--max-iterations", "1").ok().json["data"]["columns"] == 2, "columns")


@case("minus sign of typography", "polars#28163, actual#6206", "the same numbers")
def _(place):
    same_as_plain(place, "t.csv", text().replace("-", "\u2212"))
    same_as_plain(place, "t.csv", text().replace("-", "\u2212"), "--missing", "mean")


@case("Excel's line sep=;", "FIELD 13", "the table, or refused with a cure that works")
def _(place):
    place.write("t.csv", "sep=;\n" + text(separator=";"))
    run = place.fit("t.csv")
    if run.code:
        run.refused("sep=")
    else:
        same_as_plain(place, "t.csv", "sep=;\n" + text(separator=";"))


@case("aligned columns", "FIELD 13", "runs of spaces separate")
def _(place):
    aligned = "".join("".join(f"{cell:>12}" for cell in row) + "\n" for row in [HEADER] + ROWS)
    same_as_plain(place, "t.txt", aligned, "--separator", "space")


@case("words that spaces separate", "own", "refused with the separator that reads them")
def _(place):
    words = [["red blue".split()[at % 2], "s m l".split()[at % 3], "uv"[at // 5 % 2]] for at in range(40)]
    place.table("t.txt", ["a", "b", "class"], words, " ")
    for options in ([], ["--categorical", "auto"]):
        place.fit("t.txt", *options).refused("--separator space")
    place.fit("t.txt", "--separator", "space", "--categorical", "auto").ok()


@case("file of words without a header", "FIELD 6", "no row is lost, or it is refused")
def _(place):
    words = [["vhigh", "2", "small", "unacc"]] + [["low med high vhigh".split()[at % 4], "2 3 4 5more".split()[at // 4 % 4],
             "small med big".split()[at % 3], "acc unacc".split()[at % 2]] for at in range(79)]
    place.table("t.csv", None, words)
    run = place.fit("t.csv", "--categorical", "auto")
    check(run.code or run.json["data"]["rows"] == 80 or "header" in run.warnings, "79 of 80 rows, and nothing is said")


@case("header of numbers", "FIELD rough, node-csv#477", "read as names when asked to")
def _(place):
    place.table("t.csv", ["2019", "2018", "2021", "class"], ROWS)
    run = place.fit("t.csv", "--header", "yes")
    check(run.ok().json["data"]["rows"] == 60, "rows")


@case("foreign formats and archives", "FIELD 13", "named in words, not read as latin1")
def _(place):
    content = text().encode()
    for name, data in {
        "t.csv.bz2": bz2.compress(content),
        "t.csv.xz": b"\xfd7zXZ\x00" + bytes(64),
        "t.pkl": b"\x80\x04\x95" + bytes(range(128)),
        "t.mat": b"MATLAB 5.0 MAT-file, Platform: X".ljust(124) + b"\x00\x01IM" + bytes(range(200)),
        "new.mat": (b"MATLAB 7.3 MAT-file, Platform: X".ljust(124) + b"\x00\x02IM").ljust(512, b"\x00")
        + b"\x89HDF\r\n\x1a\n" + bytes(range(200)),
        "t.tar": archive(content),
        "t.tar.gz": gzip.compress(archive(content)),
        "t.rar": b"Rar!\x1a\x07\x01\x00" + bytes(range(200)),
        "t.h5": b"\x89HDF\r\n\x1a\n" + bytes(200),
        "t.xls": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(200),
    }.items():
        place.write(name, data)
        run = place.fit(name).refused()
        check("latin1" not in run.err and "--encoding" not in run.err, f"{name}: {run.err.strip()[-200:]}")


@case("MatrixMarket with one percent sign", "FIELD 13", "refused with a cure that works")
def _(place):
    place.write("t.mtx", "%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1.0\n2 2 1.0\n")
    place.table("y.csv", ["y"], [["a"], ["b"]])
    run = place.fit("t.mtx,y.csv").refused()
    check("latin1" not in run.err and "%%MatrixMarket" in run.err, run.err.strip()[-200:])


@case("gzip of several members", "FIELD (right)", "all rows")
def _(place):
    halves = text().encode()[:900], text().encode()[900:]
    same_as_plain(place, "t.csv.gz", b"".join(map(gzip.compress, halves)))


@case("error in the --test table", "FIELD 12", "the line of that file, by its name")
def _(place):
    place.write("train.csv", text())
    rows = [list(row) for row in ROWS[:20]]
    rows[4][1] = "red"
    place.table("new.csv", HEADER, rows)
    place.fit("train.csv", "--test", "new.csv").refused("new.csv", "5")
    rows[4][1] = ""
    place.table("new.csv", HEADER, rows)
    run = place.fit("train.csv", "--test", "new.csv").refused("new.csv")
    check("65" not in run.err and "of 80" not in run.err, run.err.strip()[-200:])
    rows[4][1], rows[6][3] = "1e39", ""
    place.table("new.csv", HEADER, rows)
    run = place.fit("train.csv", "--test", "new.csv")
    run.refused('row 5 of new.csv (--test), column "x1" is 1e39', "the first is row 7 of new.csv (--test)")
    check("standardize" not in run.err and "in row 5 of new.csv (--test) of x1" in run.err, run.err.strip()[-200:])
    place.fit("train.csv", "--test", "new.csv", "--precision", "f64").ok()


@case("names behind a mark of remarks, as numpy.savetxt writes them", "own", "the names, without the mark")
def _(place):
    features = np.array([[float(cell) for cell in row[:3]] for row in ROWS])
    np.savetxt(place.folder / "t.txt", np.c_[features, np.arange(len(ROWS)) % 2], header="a b c y")
    columns = place.fit("t.txt").ok().json["matrix"]["columns"]
    check(columns == ["a", "b", "c"], columns)


@case("remarks above names behind a mark, as numpy.savetxt writes them", "own", "the names, without the mark; the remarks are named")
def _(place):
    features = np.array([[float(cell) for cell in row[:3]] for row in ROWS])
    table = np.c_[features, np.arange(len(ROWS)) % 2]
    for separator in (" ", ",", "\t"):
        names = separator.join(["a", "b", "c", "y"])
        np.savetxt(place.folder / "t.txt", table, delimiter=separator, header=f"by X\nin 2024\n{names}")
        run = place.fit("t.txt").says("the 2 lines above the names", "by X")
        check(run.json["matrix"]["columns"] == ["a", "b", "c"], run.json["matrix"]["columns"])


@case("tabs that align the columns", "own", "are one separator")
def _(place):
    same_as_plain(place, "t.txt", text().replace(",", "\t\t"))


@case("JSON, HTML, ARFF, R, SPSS, a zip archive", "own", "named, each with what to do")
def _(place):
    formats = {
        "JSON": b'[{"a": 1, "y": "u"}]',
        "HTML": b"<!DOCTYPE html><html><body>404</body></html>",
        "ARFF": b"% made\n@relation t\n@attribute a numeric\n@data\n1\n",
        ".rds file of R": gzip.compress(b"X\n\0\0\0\x03\0\x04"),
        ".sav file of SPSS": b"$FL2@(#) SPSS DATA FILE",
        ".por file of SPSS": b"ASCII SPSS PORT FILE".ljust(456) + b"SPSSPORT",
        "pickle": b"cnumpy.core.multiarray\n_reconstruct\np0\n",
        "MATLAB 4": b"\0\0\0\0\2\0\0\0\2\0\0\0\0\0\0\0\2\0\0\0x\0" + bytes(32),
        "Git LFS": b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n",
    }
    for name, content in formats.items():
        place.write("t.dat", content)
        place.fit("t.dat").refused(name, "; ")
    with zipfile.ZipFile(place.folder / "t.zip", "w") as archive:
        archive.writestr("t.csv", text())
    place.fit("t.zip").refused("t.csv", "unzip")
