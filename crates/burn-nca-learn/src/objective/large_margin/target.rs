//! The target neighbors of each row: its nearest rows of the same class in the input space.

use std::sync::{Arc, Mutex};

use burn::tensor::{Device, Tensor};

use super::impostors::{Candidates, ImpostorSearch};
use crate::data::{Labeled, TensorFeatures};
use crate::error::{Error, Result};
use crate::neighbors::{CandidateFilter, Excluded, Points, nearest_rows};
use crate::objective::DataTarget;
use crate::objective::transfer::widest_float;
use burn_nca::internal::TermWeights;

/// The target neighbors of n rows, for a [`LargeMarginLoss`](super::LargeMarginLoss): the k nearest rows of the same class in the
/// input space (all others, in a class of k rows or fewer).
#[derive(Clone, Debug)]
pub struct TargetNeighbors {
    input: Arc<Points>,
    labels: Arc<Vec<usize>>,
    weights: TermWeights,
    targets: Arc<Vec<Vec<u32>>>,
    k: usize,
    /// Where searches run.
    pub(in crate::objective) device: Device,
    /// Who may be whose impostor, from the last search.
    candidates: Arc<Mutex<Option<Arc<Candidates>>>>,
    /// That of the embedding of an evaluation.
    search: Option<Arc<ImpostorSearch>>,
}

impl TargetNeighbors {
    /// The k nearest rows of each row's own class.
    ///
    /// # Shapes
    /// - x: `[n, d]`, labels: n classes
    ///
    /// # Errors
    /// k of 0, not one label per row, or a feature that is not finite.
    pub fn new(x: &Tensor<2>, labels: &[usize], k: usize) -> Result<Self> {
        let input = Points::read(x, "features")?;
        if k == 0 {
            let message = "0 target neighbors were asked for; give 1 or more, such as 3";
            return Err(Error::setting(message));
        }
        let (count, rows) = (labels.len(), input.rows());
        if count != rows {
            let message = format!("{count} labels for {rows} rows; give one label per row");
            return Err(Error::data(message));
        }
        Ok(Self::index(input, labels.to_vec(), k, &x.device().inner()))
    }

    /// The target neighbors of a labeled table, with the weights of its rows.
    ///
    /// # Errors
    /// As [`TargetNeighbors::new`].
    pub fn of(data: &Labeled, k: usize, device: &Device) -> Result<Self> {
        let device = &device.clone().inner();
        let x = data.features().to_tensor(device, widest_float(device));
        let target = Self::new(&x, data.labels(), k)?;
        match data.weights() {
            Some(weights) => target.with_weights(weights),
            None => Ok(target),
        }
    }

    fn index(input: Points, labels: Vec<usize>, k: usize, device: &Device) -> Self {
        let mut order: Vec<usize> = (0..labels.len()).collect();
        order.sort_by_key(|&row| (labels[row], row));
        let mut targets = vec![Vec::new(); labels.len()];
        for class in order.chunk_by(|&a, &b| labels[a] == labels[b]) {
            let found = k.min(class.len() - 1);
            if found == 0 {
                continue;
            }
            let points = input.select(class);
            let own: Vec<usize> = (0..class.len()).collect();
            let filter = CandidateFilter::new(&points, &points, device);
            let excluded = Excluded::own(&own);
            let nearest = filter.map_rows(Some(&excluded), |row| nearest_rows(row, found));
            for (row, nearest) in class.iter().zip(nearest) {
                targets[*row] = nearest.iter().map(|&at| class[at as usize] as u32).collect();
            }
        }
        Self {
            input: Arc::new(input),
            labels: Arc::new(labels),
            weights: TermWeights::default(),
            targets: Arc::new(targets),
            k,
            device: device.clone(),
            candidates: Arc::default(),
            search: None,
        }
    }

    /// The same rows, the term of each times its weight.
    ///
    /// # Errors
    /// Not one weight per row, a weight that is negative or not finite, or none that is positive.
    pub fn with_weights(self, weights: &[f64]) -> Result<Self> {
        Ok(Self { weights: TermWeights::new(weights, self.points(), &self.device)?, ..self })
    }

    /// The same rows with a search at the embedding of an evaluation; `None` where a coordinate is not finite.
    pub(super) fn searched(&self, embedding: &Tensor<2>) -> Option<Self> {
        let search = ImpostorSearch::new(embedding, self)?;
        Some(Self { search: Some(Arc::new(search)), ..self.clone() })
    }

    /// The search of the evaluation, or a new one at this embedding.
    pub(super) fn search(&self, embedding: &Tensor<2>) -> Option<Arc<ImpostorSearch>> {
        self.search.clone().or_else(|| ImpostorSearch::new(embedding, self).map(Arc::new))
    }

    /// The target neighbors of a row, nearest first.
    pub(in crate::objective) fn of_row(&self, row: usize) -> &[u32] {
        &self.targets[row]
    }

    /// Whether two rows are of different classes.
    pub(in crate::objective) fn differ(&self, i: usize, l: usize) -> bool {
        self.labels[i] != self.labels[l]
    }

    /// The weight of the term of a row.
    pub(super) fn weight(&self, row: usize) -> f64 {
        self.weights.values().map_or(1.0, |weights| weights[row])
    }

    /// What the last search saw, or what `search` gives where that does not do.
    pub(super) fn candidates(
        &self,
        does: impl FnOnce(&Candidates) -> bool,
        search: impl FnOnce() -> Option<Candidates>,
    ) -> Option<Arc<Candidates>> {
        // A panic elsewhere leaves at worst an older search, which is checked before it is used.
        let mut kept = self.candidates.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if !kept.as_ref().is_some_and(|candidates| does(candidates)) {
            *kept = search().map(Arc::new);
        }
        kept.clone()
    }
}

impl DataTarget for TargetNeighbors {
    fn points(&self) -> usize {
        self.labels.len()
    }

    /// The target neighbors of the rows among themselves.
    fn subset(&self, rows: &[usize]) -> Self {
        let labels = rows.iter().map(|&row| self.labels[row]).collect();
        let part = Self::index(self.input.select(rows), labels, self.k, &self.device);
        Self { weights: self.weights.select(rows), ..part }
    }

    /// The rows that have a target neighbor.
    fn counted(&self) -> usize {
        self.targets.iter().filter(|targets| !targets.is_empty()).count()
    }
}
