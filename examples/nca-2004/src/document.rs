//! A report as headings, words, tables and figures, rendered as Markdown and as one page of HTML.

use burn_nca_figures::Figure;

use burn_nca_program::html::{BASE_STYLE, escape};

/// A part of a document.
pub enum Block {
    /// A heading of a section.
    Heading(String),
    /// A paragraph.
    Text(String),
    /// Points, one per line.
    List(Vec<String>),
    /// A table.
    Table(Table),
    /// A figure, and the name of its files without the ending.
    Picture {
        /// The figure.
        figure: Figure,
        /// `figure-1` for `figure-1.svg` and `figure-1.png`.
        stem: String,
        /// What it shows.
        caption: String,
    },
}

/// A table of words in the first column and numbers in the others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// The names of the columns.
    pub head: Vec<String>,
    /// The rows.
    pub rows: Vec<Row>,
}

/// A row of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// The cells.
    pub cells: Vec<String>,
    /// The cells to point out.
    pub best: Vec<usize>,
}

/// A title and the parts under it.
pub struct Document {
    /// The title.
    pub title: String,
    /// The parts.
    pub blocks: Vec<Block>,
}

impl Document {
    /// The document as Markdown, with its figures as files next to it.
    pub fn markdown(&self) -> String {
        let mut text = format!("# {}\n", self.title);
        for block in &self.blocks {
            text.push('\n');
            match block {
                Block::Heading(words) => text.push_str(&format!("## {words}\n")),
                Block::Text(words) => text.push_str(&format!("{words}\n")),
                Block::List(points) => {
                    points.iter().for_each(|point| text.push_str(&format!("- {point}\n")));
                }
                Block::Table(table) => text.push_str(&table.markdown()),
                Block::Picture { stem, caption, .. } => {
                    text.push_str(&format!("![{caption}]({stem}.svg)\n"));
                }
            }
        }
        text
    }

    /// The document as one page that loads nothing.
    pub fn page(&self) -> String {
        let title = escape(&self.title);
        let body: String = self.blocks.iter().map(Block::html).collect();
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n\
             <style>\n{BASE_STYLE}{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n{body}</body>\n</html>\n"
        )
    }
}

/// What figures and lists need in addition to the base style.
const STYLE: &str = "\
main, body > p, body > ul { max-width: 52em; }
h2 { margin: 2.6rem 0 .8rem; }
p, ul { margin: .7rem 0; }
th, td { padding-left: .5rem; }
.best { font-weight: 650; }
figure { margin: 1.2rem 0; }
figure svg { max-width: 100%; height: auto; border-radius: 4px; }
figcaption { color: var(--muted); font-size: .875rem; margin-top: .4rem; max-width: 60em; }
";

impl Block {
    fn html(&self) -> String {
        match self {
            Self::Heading(words) => format!("<h2>{}</h2>\n", escape(words)),
            Self::Text(words) => format!("<p>{}</p>\n", escape(words)),
            Self::List(points) => {
                let points: String =
                    points.iter().map(|point| format!("<li>{}</li>\n", escape(point))).collect();
                format!("<ul>\n{points}</ul>\n")
            }
            Self::Table(table) => table.html(),
            Self::Picture { figure, caption, .. } => format!(
                "<figure>\n{}<figcaption>{}</figcaption>\n</figure>\n",
                figure.svg(),
                escape(caption)
            ),
        }
    }
}

/// Means that differ by less are the same but for rounding.
const SAME: f64 = 1e-12;

impl Row {
    /// A row in which the greatest of the given values (or several that are equal) is pointed out; the first
    /// cell is a name.
    pub fn with_greatest(name: &str, cells: Vec<(String, Option<f64>)>) -> Self {
        let greatest = cells.iter().filter_map(|cell| cell.1).fold(f64::NEG_INFINITY, f64::max);
        let is_greatest =
            |cell: &(String, Option<f64>)| cell.1.is_some_and(|x| greatest - x < SAME);
        let best =
            (0..cells.len()).filter(|at| is_greatest(&cells[*at])).map(|at| at + 1).collect();
        let words = std::iter::once(name.to_string()).chain(cells.into_iter().map(|cell| cell.0));
        Self { cells: words.collect(), best }
    }

    /// A row of these cells.
    pub fn plain(cells: Vec<String>) -> Self {
        Self { cells, best: Vec::new() }
    }
}

impl Table {
    fn markdown(&self) -> String {
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let rule = format!("|---|{}\n", "---:|".repeat(self.head.len().saturating_sub(1)));
        let rows = self.rows.iter().map(|row| {
            let cells =
                row.cells.iter().enumerate().map(|(at, cell)| match row.best.contains(&at) {
                    true => format!("**{cell}**"),
                    false => cell.clone(),
                });
            line(&cells.collect::<Vec<_>>())
        });
        format!("{}{rule}{}", line(&self.head), rows.collect::<String>())
    }

    fn html(&self) -> String {
        let class = |at: usize| if at == 0 { "" } else { " class=\"n\"" };
        let head = self.head.iter().enumerate();
        let head: String = head
            .map(|(at, words)| format!("<th scope=\"col\"{}>{}</th>", class(at), escape(words)))
            .collect();
        let rows = self.rows.iter().map(|row| {
            let cells =
                row.cells.iter().enumerate().map(|(at, cell)| match row.best.contains(&at) {
                    true => format!("<td class=\"n best\">{}</td>", escape(cell)),
                    false => format!("<td{}>{}</td>", class(at), escape(cell)),
                });
            format!("<tr>{}</tr>\n", cells.collect::<String>())
        });
        format!(
            "<div class=\"scroll\"><table><thead><tr>{head}</tr></thead>\n<tbody>\n{}</tbody></table></div>\n",
            rows.collect::<String>()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document() -> Document {
        let cells = vec![
            ("1 <2".to_string(), Some(1.0)),
            ("3".to_string(), Some(3.0)),
            ("-".to_string(), None),
        ];
        let table = Table {
            head: ["set", "a", "b", "c"].map(String::from).to_vec(),
            rows: vec![Row::with_greatest("iris", cells)],
        };
        let figure = Figure::from_svg("<svg></svg>\n".to_string());
        Document {
            title: "A & B".to_string(),
            blocks: vec![
                Block::Heading("One".to_string()),
                Block::Table(table),
                Block::Picture {
                    figure,
                    stem: "figure-1".to_string(),
                    caption: "shows".to_string(),
                },
                Block::List(vec!["x".to_string()]),
            ],
        }
    }

    #[test]
    fn markdown_points_out_the_best_and_names_the_files() {
        let text = document().markdown();
        assert!(
            text.contains("| set | a | b | c |\n|---|---:|---:|---:|\n| iris | 1 <2 | **3** | - |"),
            "{text}"
        );
        assert!(text.contains("![shows](figure-1.svg)") && text.contains("\n- x\n"));
    }

    #[test]
    fn the_page_is_complete_and_escaped() {
        let page = document().page();
        assert!(page.contains("<h1>A &amp; B</h1>") && page.contains("1 &lt;2"));
        assert!(page.contains("<svg></svg>") && page.contains("<td class=\"n best\">3</td>"));
        assert!(!page.contains("http"), "the page loads nothing");
    }
}
