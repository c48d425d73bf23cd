//! A table whose columns are stated once, for a terminal and for a page.

#[cfg(feature = "terminal")]
use comfy_table::Attribute;
use comfy_table::presets::NOTHING;
use comfy_table::{
    CellAlignment, ColumnConstraint, ContentArrangement, LineStyle, TableStyle, Width,
};

use crate::html::{escape, name};
use crate::printable::{printable, short_name};
use crate::terminal::{Terminal, searchable};

/// The text of a cell, and what marks it among the others of its column, such as `best`.
pub struct Cell {
    text: String,
    mark: Option<&'static str>,
}

impl Cell {
    /// A cell that is marked where `marked`.
    pub fn marked(text: String, mark: &'static str, marked: bool) -> Self {
        Self { text, mark: marked.then_some(mark) }
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self { text, mark: None }
    }
}

/// How a column is set.
enum Kind {
    /// What a row is about, at most so many letters long on the page.
    Name(usize),
    Text,
    WholeText,
    Number,
    PageNumber,
    /// HTML of this style class, on the page alone, hidden from those who listen.
    Drawing(&'static str),
}

struct Column<'a, R> {
    head: String,
    kind: Kind,
    read: Box<dyn Fn(&R) -> Cell + 'a>,
}

/// Rows under columns that say how to read them.
pub struct Table<'a, R> {
    class: &'static str,
    rows: Vec<&'a R>,
    columns: Vec<Column<'a, R>>,
    row_class: Box<dyn Fn(&R) -> &'static str + 'a>,
    scrolls: Option<&'static str>,
}

impl<'a, R> Table<'a, R> {
    /// A table without columns; `class` is that of its style.
    pub fn of(class: &'static str, rows: impl IntoIterator<Item = &'a R>) -> Self {
        let rows = rows.into_iter().collect();
        Self { class, rows, columns: Vec::new(), row_class: Box::new(|_| ""), scrolls: None }
    }

    /// The column that names the rows; the page cuts names of more than `most` letters.
    #[must_use]
    pub fn names<C: Into<Cell>>(
        self,
        head: &str,
        most: usize,
        read: impl Fn(&R) -> C + 'a,
    ) -> Self {
        self.column(head, Kind::Name(most), read)
    }

    /// A column of text.
    #[must_use]
    pub fn text<C: Into<Cell>>(self, head: &str, read: impl Fn(&R) -> C + 'a) -> Self {
        self.column(head, Kind::Text, read)
    }

    /// A column of text that nothing shortens, as settings, which are of no use without their end.
    #[must_use]
    pub fn whole_text(self, head: &str, read: impl Fn(&R) -> String + 'a) -> Self {
        self.column(head, Kind::WholeText, read)
    }

    /// A column of numbers.
    #[must_use]
    pub fn number<C: Into<Cell>>(self, head: &str, read: impl Fn(&R) -> C + 'a) -> Self {
        self.column(head, Kind::Number, read)
    }

    /// A column of numbers that a terminal has no room for.
    #[must_use]
    pub fn page_number<C: Into<Cell>>(self, head: &str, read: impl Fn(&R) -> C + 'a) -> Self {
        self.column(head, Kind::PageNumber, read)
    }

    /// A column that the page draws; head and cells are HTML.
    #[must_use]
    pub fn drawing(
        self,
        class: &'static str,
        head: &str,
        read: impl Fn(&R) -> String + 'a,
    ) -> Self {
        self.column(head, Kind::Drawing(class), read)
    }

    /// The style class of each row.
    #[must_use]
    pub fn row_class(self, row_class: impl Fn(&R) -> &'static str + 'a) -> Self {
        Self { row_class: Box::new(row_class), ..self }
    }

    /// A table that may be long: the page lets it scroll, under a label for those who listen.
    #[must_use]
    pub fn scrolling(self, label: &'static str) -> Self {
        Self { scrolls: Some(label), ..self }
    }

    fn column<C: Into<Cell>>(
        mut self,
        head: &str,
        kind: Kind,
        read: impl Fn(&R) -> C + 'a,
    ) -> Self {
        let read = Box::new(move |row: &R| read(row).into());
        self.columns.push(Column { head: head.to_owned(), kind, read });
        self
    }

    /// The table for the page.
    pub fn html(&self) -> String {
        let head: String = self.columns.iter().map(Column::head).collect();
        let row = |row: &&R| {
            let cells: String = self.columns.iter().map(|column| column.cell(row)).collect();
            match (self.row_class)(row) {
                "" => format!("<tr>{cells}</tr>\n"),
                class => format!("<tr class=\"{class}\">{cells}</tr>\n"),
            }
        };
        let body: String = self.rows.iter().map(row).collect();
        let label =
            |label| format!("scroll tall\" tabindex=\"0\" role=\"region\" aria-label=\"{label}");
        let scroll = self.scrolls.map_or("scroll".to_owned(), label);
        format!(
            "<div class=\"{scroll}\"><table class=\"{}\"><thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody></table>\
             </div>",
            self.class
        )
    }

    /// The table for a terminal, ended by a newline; a marked cell carries a star. Names are escaped and shortened as by
    /// [`short_name`].
    pub fn plain(&self, terminal: Terminal) -> String {
        let on_paper =
            |column: &&Column<'_, R>| !matches!(column.kind, Kind::PageNumber | Kind::Drawing(_));
        let columns: Vec<&Column<'_, R>> = self.columns.iter().filter(on_paper).collect();
        let mut table = comfy_table::Table::new();
        let rule = LineStyle::none().fill(if terminal.unicode { '─' } else { '-' });
        table.load_style(TableStyle::new().header_separator(rule));
        #[cfg(feature = "terminal")]
        table.force_no_tty();
        fit_width(&mut table, terminal);
        #[cfg(feature = "terminal")]
        if terminal.styled {
            table.enforce_styling();
        }
        table.set_header(columns.iter().map(|column| short_name(&column.head)));
        let mut longest = vec![0; columns.len()];
        for row in &self.rows {
            let cells = columns.iter().zip(&mut longest).map(|(column, longest)| {
                let Cell { text, mark } = (column.read)(row);
                let shown = match column.kind {
                    Kind::WholeText => printable(&text).into_owned(),
                    _ => short_name(&text),
                };
                let text = format!("{}{shown}", if mark.is_some() { "*" } else { "" });
                *longest = text.chars().count().max(*longest);
                let cell = comfy_table::Cell::new(text);
                #[cfg(feature = "terminal")]
                let cell = if mark.is_some() { cell.add_attribute(Attribute::Bold) } else { cell };
                cell
            });
            table.add_row(cells.collect::<Vec<_>>());
        }
        for (column, (set, longest)) in columns.iter().zip(table.column_iter_mut().zip(longest)) {
            if matches!(column.kind, Kind::Number) {
                set.set_cell_alignment(CellAlignment::Right);
            }
            // Narrow terminals break the heads and long names, never a number; with a blank at each side.
            let least = longest.min(18) as u16 + 2;
            set.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(least)));
        }
        finished(&table)
    }
}

impl<R> Column<'_, R> {
    /// What the page sets a cell apart by.
    fn attributes(&self) -> String {
        match self.kind {
            Kind::Name(_) | Kind::Text | Kind::WholeText => String::new(),
            Kind::Number | Kind::PageNumber => " class=\"n\"".to_owned(),
            Kind::Drawing(class) => format!(" class=\"{class}\" aria-hidden=\"true\""),
        }
    }

    fn head(&self) -> String {
        let attributes = self.attributes();
        match self.kind {
            Kind::Drawing(_) => format!("<th{attributes}>{}</th>", self.head),
            _ => format!("<th scope=\"col\"{attributes}>{}</th>", escape(&self.head)),
        }
    }

    fn cell(&self, row: &R) -> String {
        let Cell { text, mark } = (self.read)(row);
        let shown = match self.kind {
            Kind::Name(most) => name(&text, most),
            Kind::Drawing(_) => text,
            Kind::Text => name(&text, 48),
            Kind::WholeText | Kind::Number | Kind::PageNumber => escape(&text),
        };
        let shown = match mark {
            Some(mark) => format!("<b>{shown}</b><span class=\"hidden\"> ({mark})</span>"),
            None => shown,
        };
        match self.kind {
            Kind::Name(_) => format!("<th scope=\"row\">{shown}</th>"),
            _ => format!("<td{}>{shown}</td>", self.attributes()),
        }
    }
}

/// A table of one name and right-aligned numbers per row, for a terminal or a file; nothing is styled.
pub fn plain_table(head: Vec<String>, rows: Vec<Vec<String>>, terminal: Terminal) -> String {
    let mut table = Table::of("", &rows);
    for (at, head) in head.iter().enumerate() {
        let read = move |row: &Vec<String>| row.get(at).cloned().unwrap_or_default();
        table = if at == 0 { table.text(head, read) } else { table.number(head, read) };
    }
    table.plain(Terminal { styled: false, ..terminal })
}

/// A name and a sentence a line, for a terminal.
pub fn named_lines(lines: Vec<(&str, String)>, terminal: Terminal) -> String {
    let mut table = comfy_table::Table::new();
    #[cfg(feature = "terminal")]
    table.force_no_tty();
    table.load_style(NOTHING);
    fit_width(&mut table, terminal);
    for (name, value) in lines {
        table.add_row([name, value.as_str()]);
    }
    finished(&table)
}

fn fit_width(table: &mut comfy_table::Table, terminal: Terminal) {
    if let Some(width) = terminal.width {
        table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
    }
}

/// The table without trailing blanks, ended by a newline.
fn finished(table: &comfy_table::Table) -> String {
    table.lines().map(|line| format!("{}\n", searchable(line.trim_end()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_and_the_page_show_the_same_columns_and_obey_no_name() {
        let rows = [("a".to_owned(), 3.0), ("a long < name".to_owned(), 7.0)];
        let table = |rows| {
            Table::of("scores", rows)
                .names("who", 8, |row: &(String, f64)| row.0.clone())
                .number("share", |row| Cell::marked(format!("{} %", row.1), "best", row.1 > 5.0))
                .drawing("bar", "<i></i>", |_| "<u></u>".to_owned())
                .row_class(|row| if row.1 > 5.0 { "fitted" } else { "" })
        };
        let plain = table(&rows).plain(Terminal::PLAIN);
        let expected = " who            share\n──────────────────────\n a                3 %\n a long < name   *7 %\n";
        assert_eq!(plain, expected);
        let html = table(&rows).html();
        for part in [
            "<td class=\"n\">3 %</td><td class=\"bar\" aria-hidden=\"true\"><u></u></td>",
            "<tr class=\"fitted\"><th scope=\"row\"><span class=\"name\" title=\"a long &lt; name\">",
            "<b>7 %</b><span class=\"hidden\"> (best)</span>",
        ] {
            assert!(html.contains(part), "{html}");
        }
        let rows = [("\u{1b}[31mred\n".to_owned(), 1.0), ("A".repeat(5000), 9.0)];
        for styled in [false, true] {
            let plain = table(&rows).plain(Terminal { styled, ..Terminal::PLAIN });
            assert!(plain.contains("\\u{1b}[31mred\\n "), "{plain}");
            assert!(!plain.contains("\u{1b}[31m") && !plain.contains(&"A".repeat(41)), "{plain}");
        }
    }

    #[test]
    fn no_narrow_terminal_breaks_a_number() {
        let words = |row: [&str; 2]| row.map(String::from).to_vec();
        let rows = vec![words(["a name of many words that go on", "123456.75"])];
        let narrow = Terminal { width: Some(34), ..Terminal::PLAIN };
        let text = plain_table(words(["name", "n"]), rows, narrow);
        assert!(text.lines().all(|line| line.chars().count() <= 34), "{text}");
        assert!(text.contains("123456.75"), "{text}");
    }
}
