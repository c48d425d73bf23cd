//! `nca transform`: the rows of a table where a saved model puts them.

use anyhow::Result;
use burn::tensor::Tensor;
use burn_nca_data::{csv_field, csv_file, npy_file, parquet_file};

use super::loaded::load_for;
use crate::cli::TransformArgs;
use crate::failure::usage;
use crate::output::{self, TableFormat};
use crate::tables::ModelRows;

pub fn run(args: &TransformArgs) -> Result<()> {
    // Known before the work begins.
    let offered = [TableFormat::Csv, TableFormat::Npy, TableFormat::Parquet];
    let format = TableFormat::chosen(args.format, args.out.as_deref(), &offered)?;
    if format == TableFormat::Npy && args.id.is_some() {
        return Err(usage(
            "an .npy file holds numbers alone",
            "leave --id out, or write a .csv or a .parquet",
        ));
    }
    let loaded = load_for(&args.model, &args.data)?;
    let rows = loaded.rows(&args.data, (args.id.as_deref(), &args.text))?;
    output::warn_of(&rows.warnings);
    let embedding = loaded.embed((&rows.features, &rows.rows), &args.data)?;
    let bytes = match format {
        TableFormat::Npy => npy_file(&output::matrix(&with_left_out(embedding, &rows))),
        TableFormat::Parquet => {
            let ids = rows.ids.as_ref().map(|(name, ids)| (name.as_str(), ids.as_slice()));
            parquet_file(
                ids,
                (&dimensions(&embedding), &output::matrix(&embedding)),
                &rows.places(),
            )?
        }
        _ => embedding_csv(&embedding, &rows),
    };
    format.write(&bytes, args.out.as_deref())
}

/// `z1`, `z2`, …
fn dimensions(embedding: &Tensor<2>) -> Vec<String> {
    let [_, k] = embedding.dims();
    (1..=k).map(|dimension| format!("z{dimension}")).collect()
}

/// The embedding with NaN throughout in rows that were left out, so that rows are where they were.
fn with_left_out(embedding: Tensor<2>, rows: &ModelRows) -> Tensor<2> {
    if rows.rows.len() == rows.total {
        return embedding;
    }
    let [_, k] = embedding.dims();
    let nothing = Tensor::full([1, k], f64::NAN, (&embedding.device(), embedding.dtype()));
    let row = |place: Option<usize>| match place {
        Some(place) => embedding.clone().slice([place..place + 1]),
        None => nothing.clone(),
    };
    Tensor::cat(rows.places().into_iter().map(row).collect(), 0)
}

/// The rows of the table, each after its name, where they have names; one that was left out has empty cells.
fn embedding_csv(embedding: &Tensor<2>, rows: &ModelRows) -> Vec<u8> {
    let [_, k] = embedding.dims();
    let text = csv_file(&dimensions(embedding), &output::matrix(embedding));
    if rows.ids.is_none() && rows.rows.len() == rows.total {
        return text;
    }
    let text = String::from_utf8_lossy(&text);
    let (head, text) = text.split_once('\n').unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    let nothing = ",".repeat(k - 1);
    let of_row = |place: Option<usize>| place.map_or(nothing.as_str(), |place| lines[place]);
    let cells = std::iter::once(head).chain(rows.places().into_iter().map(of_row));
    let names = rows.ids.iter().flat_map(|(name, ids)| std::iter::once(name).chain(ids));
    let mut names = names.map(|name| csv_field(name) + ",");
    let lines = cells.map(|cells| names.next().unwrap_or_default() + cells + "\n");
    lines.collect::<String>().into_bytes()
}
