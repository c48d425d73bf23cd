//! Pictures of embeddings and measurements: drawn once as SVG, turned into PNG with one bundled font, so that a
//! figure looks the same on every machine.
//!
//! | plot | shows |
//! |---|---|
//! | [`Scatter`] | points in the plane, colored by class or by a number |
//! | [`Curves`] | lines over two axes |
//! | [`Bars`] | groups of bars with error bars |
//! | [`Panels`] | a grid of plots, itself a plot |
//!
//! Each is a [`Plot`]: [`figure`](Plot::figure) draws it, [`Figure::write`] writes `STEM.svg` and `STEM.png` (without
//! the feature `png`, which is on by default, [`Figure::write_svg`] writes the SVG).
//! Anything else is drawn with [`Figure::draw`] and [`plotters`], or as a `Plot` of one's own; [`text`] and
//! [`palette`] keep it in the same style.

#[cfg(all(doctest, feature = "png"))]
#[doc = include_str!("../README.md")]
struct Readme;

mod axes;
mod bars;
mod curves;
mod figure;
mod frame;
pub mod palette;
mod panels;
#[cfg(feature = "png")]
mod png;
mod scatter;
pub mod text;

pub use bars::{Bars, Estimate};
pub use curves::Curves;
pub use figure::{Canvas, Figure, FigureError, Plot, Result};
pub use panels::Panels;
pub use plotters;
pub use scatter::Scatter;
