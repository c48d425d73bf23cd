//! Files as loggers, databases, spreadsheets and R write them.

use super::*;

#[test]
fn a_separator_at_the_end_of_lines_makes_no_column() {
    let plain = parse("a,b,y\n1,2,x\n3,4,z\n").unwrap();
    for text in [
        "a,b,y,\n1,2,x,\n3,4,z,\n",
        "a,b,y,\n1,2,x\n3,4,z\n",
        "a,b,y\n1,2,x,\n3,4,z,\n",
        "a,b,y\n1,2,x, \r\n3,4,z\n",
        "a;b;y;\n1;2;x;\n3;4;z;\n",
        "a\tb\ty\n1\t2\tx\n3\t4\tz\n",
    ] {
        assert_eq!(parse(text).unwrap(), plain, "{text}");
    }
    let target = TargetColumn::Name("y".into());
    let options = CsvOptions { target, ignore: vec![String::new()], ..CsvOptions::default() };
    assert!(parse_with("a,b,y,\n1,2,x,\n", &options).is_ok());
    let unnamed = error("a;b;\n1;2;x\n");
    assert!(unnamed.contains("the header line ends with a semicolon"), "{unnamed}");
    assert!(error("a,y\n1,x,,\n").contains("4 values where the header names 2 columns"));
}

#[test]
fn names_of_rows_without_a_name_of_their_own_are_hinted_at() {
    let found = error("a,y\nr1,1,x\nr2,2,z\n");
    assert!(found.contains("as R writes them, name that column"), "{found}");
    assert!(!error("a,y\n1,x\nr2,2,z\n").contains("as R writes them"));
}

#[test]
fn a_quotation_mark_after_a_backslash_is_told_how_to_write() {
    let found = error("a,b,y\n1,\"say \\\"hi\\\", then\",x\n2,z,x\n");
    assert!(found.contains("write a quotation mark within quotation marks twice"), "{found}");
}

#[test]
fn a_row_of_units_below_the_header_is_hinted_at() {
    let found = error("a,b,y\nmm,s,\n1,2,x\n");
    assert!(found.contains("row 1") && found.contains("one of units"), "{found}");
    assert!(!error("a,b,y\nmm,s,x\ncm,h,x\n").contains("units"));
    assert!(!error("a,b,y\n1,inf,x\n2,3,x\n").contains("units"));
}

#[test]
fn nul_characters_are_refused_and_utf_16_is_recognized() {
    let units = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let found =
        |bytes: &[u8]| parse_csv("f.csv", bytes, &CsvOptions::default()).unwrap_err().to_string();
    assert!(found(&units("a,y\n1,x\n")).contains("read it as utf-16le"));
    let class = found(b"a,y\n1,x\n2,x\0\n");
    assert!(class.contains("line 3 (row 2), column \"y\"") && class.contains("NUL"), "{class}");
}

#[test]
fn the_minus_sign_of_typography_is_known() {
    assert_eq!(parse("a,y\n\u{2212}1.5,x\n2,z\n").unwrap().features.values(), [-1.5, 2.0]);
}

#[test]
fn bounds_and_units_are_said_to_be_such() {
    assert!(error("a,y\n<0.5,x\n").contains("a bound (write the limit itself"));
    assert!(error("a,y\n>= 5,x\n").contains("a bound"));
    assert!(error("a,y\n5 kg,x\n").contains("a number with its unit"));
    assert!(error("a,y\n5 of 7,x\n").contains("is not a number; correct it"));
}
