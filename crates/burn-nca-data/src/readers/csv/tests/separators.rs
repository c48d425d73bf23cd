//! What separates values: commas, or where they do not, semicolons, tabs or spaces.

use super::*;

#[test]
fn runs_of_spaces_separate_where_nothing_else_does() {
    let commas = parse("len,wid,kind\n1.5,2,a\n10,3,b\n").unwrap();
    for text in [
        "  len   wid kind\n  1.5     2    a\n   10     3    b\n",
        "len wid kind\n1.5 2 a\n10 3 b\n",
        "len\t  wid \tkind\n1.5\t\t2\ta  \n10  3  b",
    ] {
        let spaces = TextFormat { separator: Some(' '), ..TextFormat::default() };
        assert_eq!(parse_with(text, &written(spaces)).unwrap(), commas, "{text}");
        if !text.contains('\t') {
            assert_eq!(parse(text).unwrap(), commas, "{text}");
        }
    }
    let tabs = "len\twid\tkind\n1.5\t\t2\ta\n";
    assert!(error(tabs).ends_with("read the file with the separator space"), "{}", error(tabs));
}

#[test]
fn spaces_are_advised_where_one_name_holds_them() {
    let advised = |names: &[&str], has_spaces| {
        let names: Vec<String> = names.iter().map(ToString::to_string).collect();
        separator_hint((&names, has_spaces)).is_some()
    };
    assert!(advised(&["a b y"], true));
    assert!(!advised(&["a"], false) && !advised(&["a", "b y"], true));
}
