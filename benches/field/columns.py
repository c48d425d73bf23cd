"""Columns: numbers in other spellings, missing values, dates, levels, identifiers, copies of the target."""

import numpy as np

from tools import blobs, case, check, header_of, near, rows_of

FEATURES, LABELS = blobs()
HEADER, ROWS = header_of(3), rows_of(FEATURES, LABELS)


def with_first(spell):
    """The table with its first column spelled by a function of the number and its row."""
    return [[spell(value, at), *row[1:]] for at, (value, row) in enumerate(zip(FEATURES[:, 0], ROWS))]


@case("currency", "SMV#266, tablesaw#204", "refused without the advice to make levels of it, with --categorical auto too")
def _(place):
    for spell in ("${:,.2f}", "{:.2f} €", "-$ {:.2f}", "{:.2f} USD"):
        place.table("t.csv", HEADER, with_first(lambda value, _: '"' + spell.format(1000 * abs(value)) + '"'))
        for options in ((), ("--categorical", "auto"), ("--missing", "mean")):
            place.fit("t.csv", *options).refused('column "x0"', "currency")


@case("thousands separators in some of the cells", "readr#799, readr#487", "refused; no level, no lost sign")
def _(place):
    place.table("t.csv", HEADER, with_first(lambda value, _: f'"{1000 * value:,.2f}"'))
    for options in ((), ("--categorical", "auto"), ("--missing", "mean")):
        place.fit("t.csv", *options).refused('column "x0"', "thousands separators")


@case("percent", "rawgraphs-core#10", "refused; no level")
def _(place):
    place.table("t.csv", HEADER, with_first(lambda value, _: f"{value:.1f} %"))
    for options in ((), ("--categorical", "auto")):
        place.fit("t.csv", *options).refused('column "x0"', "percent")


@case("negative numbers in parentheses", "agate#217", "refused; never positive, no level")
def _(place):
    place.table("t.csv", HEADER, with_first(lambda value, _: f"({-value:.2f})" if value < 0 else f"{value:.2f}"))
    for options in ((), ("--categorical", "auto")):
        place.fit("t.csv", *options).refused('column "x0"', "minus sign")


@case("a bound and a unit in a cell", "readr#308", "refused, and named as what they are; the number alone is not read")
def _(place):
    place.table("t.csv", HEADER, with_first(lambda value, at: "<0.5" if at == 9 else f"{value:.2f}"))
    place.fit("t.csv").refused("row 10", "a bound")
    place.table("t.csv", HEADER, with_first(lambda value, at: f"{value:.2f} kg" if at == 9 else f"{value:.2f}"))
    place.fit("t.csv").refused("row 10", "unit")
    place.table("t.csv", HEADER, with_first(lambda value, at: "5G" if at == 9 else f"{value:.2f}"))
    place.fit("t.csv").refused("row 10", "5G")


@case("marks of missing values", "pandas#29668", "missing: refused by default, filled when asked")
def _(place):
    for mark in ("", "NA", "NaN", "null", ".", "-", "<NA>", "\\N", "(null)", "NaT", "#DIV/0!", "#VALUE!", "#N/A"):
        place.table("t.csv", HEADER, with_first(lambda value, at: mark if at % 9 == 0 else f"{value:.4f}"))
        place.fit("t.csv").refused("7 of 60 rows lack a value")
        check(place.fit("t.csv", "--missing", "mean").ok().json["data"]["columns"] == 3, f"{mark!r} is a level")


@case("dates and times", "scikit-learn#6792, EconML#551", "refused with what to write, with --categorical auto too")
def _(place):
    for date in ("2024-{:02d}-11", "11/{:02d}/2024 06:09", "11.{:02d}.24", "20:{:02d}:22"):
        place.table("t.csv", HEADER, with_first(lambda _, at: date.format(at % 12 + 1)))
        for options in ((), ("--categorical", "auto")):
            place.fit("t.csv", *options).refused("date", "--ignore")
    place.fit("t.csv", "--ignore", "x0").ok()


@case("two columns of one name", "polars#14530", "refused with both places")
def _(place):
    place.table("t.csv", ["x0", "x0", "x2", "class"], ROWS)
    place.fit("t.csv").refused("columns 1 and 2", '"x0"')


@case("a column without any value", "scikit-learn#16426", "never left out silently")
def _(place):
    place.table("t.csv", HEADER, with_first(lambda *_: "NA"))
    for rule in ("mean", "median", "most-frequent"):
        place.fit("t.csv", "--missing", rule).says("columns left out", '"x0" (no value')
    place.fit("t.csv", "--missing", "mean", "--ignore", "x0").ok()


@case("missing values in new rows alone", "TabPFN#108", "filled with what the fit learned, and said; else refused")
def _(place):
    place.table("t.csv", HEADER, with_first(lambda value, at: "" if at == 5 else f"{value:.4f}"))
    place.fit("t.csv", "--missing", "mean", "--test-size", "0", "--out", "filled").ok()
    place.write("new.csv", "x0,x1,x2\n1,,2\n1,0.5,2\n")
    place.nca("predict", "filled", "new.csv").says('"x1" (1)')
    place.write("mean.csv", f"x0,x1,x2\n1,{np.mean([float(row[1]) for row in ROWS])},2\n")
    near(place.transform("filled", "new.csv")[:1], place.transform("filled", "mean.csv"), 1e-5, "embedding")
    place.table("whole.csv", HEADER, ROWS)
    place.fit("whole.csv", "--out", "whole").ok()
    place.nca("predict", "whole", "new.csv").refused("new.csv", '"x1"', "row 1")


def levels(place):
    rows = [[row[0], "uvw"[(label + at % 2) % 3], row[3]] for at, (row, label) in enumerate(zip(ROWS, LABELS))]
    place.table("t.csv", ["x", "level", "class"], rows)
    place.fit("t.csv", "--categorical", "auto", "--out", "m").ok()


@case("a missing level in new rows", "scikit-learn#12018", "refused; never read as an unseen level")
def _(place):
    levels(place)
    place.write("new.csv", "x,level\n1,u\n1,\n")
    place.nca("predict", "m", "new.csv").refused("row 2", '"level"')


@case("unseen levels in new rows", "category_encoders#154", "all features 0, and said by name")
def _(place):
    levels(place)
    place.write("new.csv", "x,level\n1,yy\n1,zz\n")
    place.nca("predict", "m", "new.csv").says('"yy", "zz"')


@case("levels that differ in case", "FIELD rough", "the levels of the fit are hinted at")
def _(place):
    levels(place)
    place.write("new.csv", "x,level\n1,U\n1,u\n")
    run = place.nca("predict", "m", "new.csv").says('"U"')
    check('"u"' in run.err or "case" in run.err, run.err.strip()[-200:])


@case("level NA that is a name", "FIELD 13", "it can be kept as a level")
def _(place):
    rows = [[row[0], ("NA", "EU", "AS")[label], row[3]] for row, label in zip(ROWS, LABELS)]
    place.table("t.csv", ["x", "continent", "class"], rows)
    run = place.fit("t.csv", "--categorical", "auto")
    check(run.code == 0 or "--" in run.err.split("error", 1)[-1], "no option is named that keeps it")


@case("codes 1 at the fit and 1.0 in new rows", "FIELD 7", "the same level: the same predictions")
def _(place):
    draw = np.random.default_rng(3)
    codes = draw.integers(1, 4, 200)
    noise = draw.normal(size=(200, 2))
    rows = [[f"{u:.3f}", f"{v:.3f}", code, "ab"[int(code == 2)]] for (u, v), code in zip(noise, codes)]
    place.table("t.csv", ["u", "v", "code", "class"], rows)
    place.fit("t.csv", "--categorical", "code", "--test-size", "0", "--out", "m").ok()
    truth = [row[3] for row in rows]
    for spelling in ("{}", "{}.0", "{}e0"):
        place.table("new.csv", ["u", "v", "code"], [[*row[:2], spelling.format(row[2])] for row in rows])
        run = place.nca("predict", "m", "new.csv", "--out", "p.csv").ok()
        found = (place.folder / "p.csv").read_text().split()[1:]
        right = np.mean([a == b for a, b in zip(found, truth)])
        check(right > 0.95, f"{spelling.format(1)}: {100 * right:.0f} % right; {run.warnings[-120:]}")


@case("59 numbers and one word", "FIELD 13", "refused with a cure that the next run accepts")
def _(place):
    place.table("t.csv", HEADER, with_first(lambda value, at: "oops" if at == 9 else f"{value:.4f}"))
    run = place.fit("t.csv", "--categorical", "auto").refused("oops")
    check("1 texts" not in run.err, "1 texts")
    first = place.fit("t.csv").refused("oops")
    check("--categorical auto" not in first.err or place.fit("t.csv", "--categorical", "auto").code == 0,
          "--categorical auto is the advice, and refused")


@case("text that names the rows", "umap#241", "left out, and said; used where it is named")
def _(place):
    place.table("t.csv", HEADER, with_first(lambda _, at: f"city{at}"))
    place.fit("t.csv", "--categorical", "auto").says("columns left out", '"x0" (')
    place.fit("t.csv", "--categorical", "x0", "--max-levels", "99").says("x0 holds a different text in each row", "--id")
    place.table("long.csv", HEADER, [[f"city{at}", at % 5, at % 7, "ab"[at % 2]] for at in range(90)])
    place.fit("long.csv", "--categorical", "auto").says("columns left out", '"x0" (')
    place.fit("long.csv", "--categorical", "x0").refused("--max-levels")


@case("identifier that follows the class", "TALENT#12", "named; it would be used as a feature")
def _(place):
    ids = np.argsort(np.argsort(LABELS, kind="stable")) + 1
    place.table("t.csv", ["Id", *HEADER], [[number, *row] for number, row in zip(ids, ROWS)])
    place.fit("t.csv").says("Id", "--ignore")
    place.table("t.csv", ["Id", *HEADER], [[3 * number + 17, *row] for number, row in zip(ids, ROWS)])
    place.fit("t.csv").says("Id", "--ignore")


@case("copy of the class among the features", "TabPFN#368, DALEX#103", "named; scores would be meaningless")
def _(place):
    words, codes = ("red", "green", "blue"), (7, 3, 5)
    place.table("t.csv", ["kind", *HEADER], [[words[label], *row] for row, label in zip(ROWS, LABELS)])
    place.fit("t.csv", "--categorical", "auto").says("the column kind determines the target exactly")
    place.table("t.csv", ["kind", *HEADER], [[codes[label], *row] for row, label in zip(ROWS, LABELS)])
    place.fit("t.csv").says("the column kind determines the target exactly")
    place.table("t.csv", HEADER, ROWS)
    place.fit("t.csv").is_silent_on("determines")


@case("copy of the number in other units", "evalml#26", "named; scores would be meaningless")
def _(place):
    rows = [[32 + 1.8 * float(row[0]), *row[1:3], row[0]] for row in ROWS]
    place.table("t.csv", ["fahrenheit", "a", "b", "celsius"], rows)
    place.fit("t.csv", "--task", "regression").says("the column fahrenheit determines the target exactly")


@case("-999 as the mark of a missing value", "bad-data-guide#14, nasapower#36", "named; a percentage of 99 is not")
def _(place):
    place.table("t.csv", HEADER, with_first(lambda value, at: "-999" if at % 9 == 4 else f"{value:.4f}"))
    place.fit("t.csv").says("-999 7 times in x0", "--missing")
    place.table("t.csv", HEADER, with_first(lambda value, at: "99" if at % 9 == 4 else f"{at * 3 % 97}"))
    place.fit("t.csv").is_silent_on("--missing")


@case("one slip of many powers of ten", "scikit-learn#26877", "named with its row: scaling makes the others equal")
def _(place):
    place.table("t.csv", HEADER, with_first(lambda value, at: "1e9" if at == 6 else f"{value:.4f}"))
    place.fit("t.csv").says("1000000000 in row 7 of x0")


@case("days written as 20240131", "mljar-supervised#122", "named: their differences are no days")
def _(place):
    place.table("t.csv", HEADER, with_first(lambda _, at: f"2024{at % 12 + 1:02d}{at % 28 + 1:02d}"))
    place.fit("t.csv").says("x0 look like days", "--ignore")


@case("duplicate columns", "metric-learn#221", "named, and fitted")
def _(place):
    place.table("t.csv", ["copy", *HEADER], [[row[0], *row] for row in ROWS])
    place.fit("t.csv").says("copy")


@case("unselected columns with a comma in the name", "FIELD rough", "they can be selected")
def _(place):
    place.table("t.csv", ['"a,b"', "c", "d", "class"], ROWS)
    run = place.fit("t.csv", "--features", "a,b", "--features", "c")
    if run.code:
        run = place.fit("t.csv", "--features", '"a,b",c')
    check(run.ok().json["matrix"]["columns"] == ["a,b", "c"], run.json["matrix"]["columns"])


@case("a level NA and missing numbers NA", "FIELD rough", "one is kept and the others are filled")
def _(place):
    rows = [[["NA", "US", "DE"][at % 3], "NA" if at % 7 == 0 else row[0], *row[1:]] for at, row in enumerate(ROWS)]
    place.table("t.csv", ["country", *HEADER], rows)
    run = place.fit("t.csv", "--categorical", "auto", "--missing", "mean", "--missing-values", "")
    run.says('"country" (3)', 'filled with the mean of the training rows')


@case("codes and classes as 1,0", "FIELD 7", "those of the fit, where the comma is the decimal sign")
def _(place):
    place.table("t.csv", ["code", *HEADER], [[at % 3, *row[:3], LABELS[at]] for at, row in enumerate(ROWS)])
    place.fit("t.csv", "--categorical", "code", "--test-size", "0", "--out", "m").ok()
    rows = [[f"{at % 3},0", *(cell.replace(".", ",") for cell in row[:3]), f"{LABELS[at]},0"] for at, row in enumerate(ROWS)]
    place.table("new.csv", ["code", *HEADER], rows, separator=";")
    run = place.nca("predict", "m", "new.csv", "--decimal", "comma").is_silent_on("level")
    check(run.out == place.nca("predict", "m", "t.csv").ok().out, "other predictions")
    place.nca("evaluate", "m", "new.csv", "--decimal", "comma").ok()
