//! Which rows of the source the points are, and what the source calls them.

use super::Embedding;
use crate::{ExplainedPredictions, Replay, Report, Results};

/// Where the rows of a fit are in their source, and what that calls them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowNames {
    /// The place in the source of each row of the fit, from 0; the same one where there is no list.
    pub places: Option<Vec<usize>>,
    /// The name of each row of the source, where its rows have names.
    pub ids: Option<Vec<String>>,
    /// The place from which on rows are those of another source, and what messages call that.
    pub other: Option<(usize, String)>,
}

impl RowNames {
    /// What messages call a row of the fit, counted from 0: `row 7`, or `row 7 of test.csv`.
    pub fn name(&self, row: usize) -> String {
        self.name_of_place(self.places.as_ref().map_or(row, |places| places[row]))
    }

    /// As [`name`](Self::name), of a place in the source.
    pub fn name_of_place(&self, place: usize) -> String {
        match &self.other {
            Some((first, source)) if place >= *first => {
                format!("row {} of {source}", place - first + 1)
            }
            _ => format!("row {}", place + 1),
        }
    }

    /// The number in the source, from 1, of a row of the fit, counted from 0, and what the source calls it.
    pub fn of_row(&self, row: usize) -> (usize, Option<String>) {
        let number = self.row(row + 1);
        (number, self.id(number))
    }

    /// Gives a row of the fit, counted from 1, its number and its name in the source.
    fn rename(&self, row: &mut usize, id: &mut Option<String>) {
        *row = self.row(*row);
        *id = self.id(*row);
    }

    /// The place in the source of a row of the fit, both counted from 1.
    fn row(&self, row: usize) -> usize {
        let place = self.places.as_ref().and_then(|places| places.get(row.checked_sub(1)?));
        place.map_or(row, |place| place + 1)
    }

    fn id(&self, row: usize) -> Option<String> {
        self.ids.as_ref()?.get(row.checked_sub(1)?).cloned()
    }
}

impl Report {
    /// Numbers the points by the rows of the source, which may hold others between them, and names them.
    ///
    /// Rows without a class have their places in the source already.
    pub fn name_rows(&mut self, names: &RowNames) {
        match &mut self.results {
            Results::Classes(found) => {
                found.embedding.name_rows(names);
                found.explained.iter_mut().for_each(|explained| explained.name_rows(names));
                for one in &mut found.labels.rows {
                    names.rename(&mut one.row.row, &mut one.row.id);
                }
            }
            Results::Numbers(found) | Results::Pairs(found) => {
                found.embedding.name_rows(names);
                found.explained.iter_mut().for_each(|explained| explained.name_rows(names));
            }
        }
        if let Some(Replay { points, .. }) = &mut self.replay {
            points.iter_mut().for_each(|point| point.row = names.row(point.row));
        }
    }
}

impl<T, P> ExplainedPredictions<T, P> {
    fn name_rows(&mut self, names: &RowNames) {
        for one in &mut self.0 {
            let near = one.neighbors.iter_mut().map(|near| &mut near.row);
            near.chain([&mut one.row]).for_each(|row| names.rename(&mut row.row, &mut row.id));
        }
    }
}

impl<M> Embedding<M> {
    fn name_rows(&mut self, names: &RowNames) {
        for point in &mut self.points {
            names.rename(&mut point.row, &mut point.id);
        }
        for other in &mut self.unlabeled {
            other.id = names.id(other.row);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Unlabeled;

    #[test]
    fn points_have_the_numbers_and_names_of_their_rows_in_the_source() {
        let mut report = Report::example();
        let embedding = &mut report.classes_mut().embedding;
        let rows = embedding.points.len();
        embedding.unlabeled = vec![Unlabeled { row: 2, id: None, coordinates: vec![0.0; 2] }];
        // The second row of the source is another.
        let places = (0..rows).map(|row| row + usize::from(row > 0)).collect();
        let ids = (0..=rows).map(|row| format!("p{row}")).collect();
        let names = RowNames { places: Some(places), ids: Some(ids), other: None };
        report.name_rows(&names);
        assert_eq!([names.name(0), names.name(1)], ["row 1", "row 3"]);
        let other = Some((2, "t.csv".to_string()));
        let names = RowNames { other, ..names };
        assert_eq!([names.name(0), names.name(1)], ["row 1", "row 1 of t.csv"]);
        let embedding = &report.classes().embedding;
        let found = |at: usize| (embedding.points[at].row, embedding.points[at].id.as_deref());
        let at = |row| embedding.points.iter().position(|point| point.row == row).unwrap();
        assert_eq!(found(at(1)), (1, Some("p0")));
        assert_eq!(found(at(3)), (3, Some("p2")));
        assert_eq!(embedding.unlabeled[0].id.as_deref(), Some("p1"));
        assert!(report.to_json().unwrap().contains(r#""id": "p2""#));
    }
}
