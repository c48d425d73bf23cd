//! Rows of other classes within the margin, searched again when the rows have moved too far.

use core::ops::Range;
use std::sync::Arc;

use burn::tensor::Tensor;
use rayon::prelude::*;

use super::TargetNeighbors;
use crate::neighbors::{Points, sq_distance, within};

/// The most candidates that are kept between evaluations: 256 MiB. Where there are more, each block searches again.
const MOST_CANDIDATES: usize = 1 << 26;

/// How much wider than the margin a search looks.
const RADIUS_FACTOR: f64 = 1.15;

/// The rows on the host, and who may be whose impostor.
#[derive(Debug)]
pub struct ImpostorSearch {
    pub(super) points: Points,
    /// The squared distance within which row i has impostors; negative without target neighbors.
    pub(super) radii_sq: Vec<f64>,
    pub(super) candidates: Option<Arc<Candidates>>,
}

/// What a search saw: all rows of other classes within a radius of each row.
#[derive(Debug)]
pub(super) struct Candidates {
    /// Where the rows were.
    points: Points,
    radii: Vec<f64>,
    rows: Vec<Vec<u32>>,
}

/// The pairs that a block of terms is a weighted sum over, and its value.
#[derive(Debug, Default)]
pub(super) struct ActivePairs {
    pub first: Vec<usize>,
    pub second: Vec<usize>,
    pub weights: Vec<f64>,
    pub value: f64,
}

impl ImpostorSearch {
    /// The rows of an embedding; `None` where one of them is not finite.
    pub(super) fn new(embedding: &Tensor<2>, target: &TargetNeighbors) -> Option<Self> {
        let points = Points::read(embedding, "embedding").ok()?;
        let reach = |row: usize| {
            let distance = |j: &u32| sq_distance(points.row(row), points.row(*j as usize));
            target.of_row(row).iter().map(distance).fold(-2.0, f64::max) + 1.0
        };
        let radii_sq: Vec<f64> = (0..points.rows()).into_par_iter().map(reach).collect();
        let candidates = target.candidates(
            |candidates| candidates.cover(&points, &radii_sq),
            || Candidates::search(&points, &radii_sq, target),
        );
        Some(Self { points, radii_sq, candidates })
    }

    /// The pairs of the terms `terms`: each row with its target neighbors and with its impostors.
    pub(super) fn active_pairs(
        &self,
        target: &TargetNeighbors,
        terms: Range<usize>,
        push: f64,
    ) -> ActivePairs {
        let mut pairs = ActivePairs::default();
        let mut add = |row, near: &[u32]| self.add(row, (target, push), near, &mut pairs);
        if let Some(candidates) = &self.candidates {
            terms.for_each(|row| add(row, &candidates.rows[row]));
            return pairs;
        }
        let rows: Vec<usize> = terms.clone().collect();
        let queries = self.points.select(&rows);
        let differ = |query: usize, l: usize| target.differ(rows[query], l);
        let radii_sq = &self.radii_sq[terms];
        let found = within(&queries, &self.points, radii_sq, differ, usize::MAX, &target.device);
        rows.iter().zip(found.unwrap_or_default()).for_each(|(row, near)| add(*row, &near));
        pairs
    }

    fn add(
        &self,
        i: usize,
        (target, push): (&TargetNeighbors, f64),
        candidates: &[u32],
        pairs: &mut ActivePairs,
    ) {
        let weight = target.weight(i);
        let distance = |j: u32| sq_distance(self.points.row(i), self.points.row(j as usize));
        let targets: Vec<(u32, f64)> = target.of_row(i).iter().map(|&j| (j, distance(j))).collect();
        let mut active = vec![0usize; targets.len()];
        let mut value: f64 = targets.iter().map(|(_, d2)| (1.0 - push) * d2).sum();
        for &l in candidates {
            let to_impostor = distance(l);
            let mut hinges = 0;
            for (active, (_, to_target)) in active.iter_mut().zip(&targets) {
                let hinge = 1.0 + to_target - to_impostor;
                if hinge > 0.0 {
                    *active += 1;
                    hinges += 1;
                    value += push * hinge;
                }
            }
            if hinges > 0 {
                pairs.push(i, l, -weight * push * f64::from(hinges));
            }
        }
        for ((j, _), active) in targets.iter().zip(active) {
            pairs.push(i, *j, weight * (1.0 - push + push * active as f64));
        }
        pairs.value += weight * value;
    }
}

impl Candidates {
    /// All rows of other classes somewhat wider than the reach of each row; `None` where they are too many to keep.
    fn search(points: &Points, radii_sq: &[f64], target: &TargetNeighbors) -> Option<Self> {
        let radius = |reach: &f64| if *reach < 0.0 { -1.0 } else { RADIUS_FACTOR * reach.sqrt() };
        let radii: Vec<f64> = radii_sq.iter().map(radius).collect();
        let squares: Vec<f64> = radii.iter().map(|radius| radius * radius.abs()).collect();
        let differ = |i: usize, l: usize| target.differ(i, l);
        let rows = within(points, points, &squares, differ, MOST_CANDIDATES, &target.device)?;
        Some(Self { points: points.clone(), radii, rows })
    }

    /// Whether every impostor that the rows have now is among the candidates: reach and moves of both are within the radius.
    ///
    /// ```text
    /// ||z_i - z_l|| ≥ ||z'_i - z'_l|| - ||z_i - z'_i|| - ||z_l - z'_l||        (z': where the rows were)
    /// ```
    fn cover(&self, points: &Points, radii_sq: &[f64]) -> bool {
        if points.dimensions() != self.points.dimensions() {
            return false;
        }
        let moved = |row: usize| sq_distance(points.row(row), self.points.row(row)).sqrt();
        let moves: Vec<f64> = (0..points.rows()).into_par_iter().map(moved).collect();
        let farthest = moves.iter().copied().fold(0.0, f64::max);
        let covers = |((reach, radius), moved): ((&f64, &f64), &f64)| {
            *reach < 0.0 || (reach.sqrt() + moved + farthest) * (1.0 + 1e-9) <= *radius
        };
        radii_sq.iter().zip(&self.radii).zip(&moves).all(covers)
    }
}

impl ActivePairs {
    fn push(&mut self, i: usize, other: u32, weight: f64) {
        self.first.push(i);
        self.second.push(other as usize);
        self.weights.push(weight);
    }
}
