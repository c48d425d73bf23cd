//! Where points lie on a drawing, and which of many are drawn.

/// The most points drawn; beyond, pages grow slow and marks cover each other.
pub const DRAWN: usize = 5000;
/// Width of the drawing in its own units.
pub const WIDTH: f64 = 1000.0;
/// Share of the drawing left free at each edge, so that no mark is cut.
const MARGIN: f64 = 0.03;
/// The least and the most width of a drawing for its height: points along a line leave little room above them.
const ASPECT: (f64, f64) = (1.0, 2.6);
/// For one dimension: height of a class's lane, as long as there are few.
const LANE: f64 = 44.0;
/// Room below the lanes of one dimension, for the scale.
const FOOT: f64 = 36.0;

/// Where the data lie on the drawing.
pub struct Frame {
    low: [f64; 2],
    /// Drawing units for one unit of learned distance, the same in both directions.
    pub scale: f64,
    /// Height of the drawing in its own units.
    pub height: f64,
    offset: [f64; 2],
    /// The lanes of one dimension; 0 in two.
    lanes: usize,
}

impl Frame {
    /// The frame that holds all places, which have one or two coordinates each; in one dimension it has so many
    /// lanes, one for each class. `None` without any place.
    pub fn around(places: &[&[f64]], lanes: usize) -> Option<Self> {
        let range = |axis: usize| {
            let values = || places.iter().map(|place| *place.get(axis).unwrap_or(&0.0));
            let low = values().fold(f64::INFINITY, f64::min);
            (low, values().fold(f64::NEG_INFINITY, f64::max) - low)
        };
        let line = places.first()?.len() == 1;
        let ((left, wide), (bottom, high)) = (range(0), range(1));
        // All points in one place: any scale will do; nearly all in a column: a width that is a number.
        let wide_or_one = if wide.max(high) > 0.0 { wide.max(1e-9 * high) } else { 1.0 };
        let aspect =
            if high > 0.0 { (wide_or_one / high).clamp(ASPECT.0, ASPECT.1) } else { ASPECT.1 };
        let all_lanes = (LANE * lanes.max(1) as f64).clamp(3.0 * LANE, 16.0 * LANE);
        let height = if line { all_lanes + FOOT } else { (WIDTH / aspect).round() };
        let margin = MARGIN * WIDTH;
        let across = (WIDTH - 2.0 * margin) / wide_or_one;
        let along = (height - 2.0 * margin) / high;
        let scale = if line || high <= 0.0 { across } else { across.min(along) };
        let offset = [(WIDTH - scale * wide) / 2.0, (height - scale * high) / 2.0];
        let lanes = if line { lanes.max(1) } else { 0 };
        Some(Self { low: [left, bottom], scale, height, offset, lanes })
    }

    /// Whether a place is inside.
    pub fn holds(&self, [x, y]: [f64; 2]) -> bool {
        (0.0..=WIDTH).contains(&x) && (0.0..=self.height).contains(&y)
    }

    /// Whether there is one dimension.
    pub fn is_line(&self) -> bool {
        self.lanes > 0
    }

    /// Height of a lane of one dimension.
    pub fn lane(&self) -> f64 {
        (self.height - FOOT) / self.lanes.max(1) as f64
    }

    /// Place of a point; `index` is its place in the table and spreads a lane's points.
    pub fn place(&self, coordinates: &[f64], lane: usize, index: usize) -> [f64; 2] {
        let x = self.offset[0] + self.scale * (coordinates[0] - self.low[0]);
        if self.is_line() {
            // The golden ratio spreads any run of rows evenly over the lane.
            let jitter = (index as f64 * 0.618_033_988_749_894_9).fract();
            return [x, self.lane() * (lane as f64 + 0.38 + 0.54 * jitter)];
        }
        let up = self.scale * (coordinates[1] - self.low[1]);
        [x, self.height - self.offset[1] - up]
    }
}

/// Indices of at most so many of the points, evenly thinned.
pub fn thinned(points: usize, most: usize) -> impl Iterator<Item = usize> {
    let drawn = points.min(most);
    (0..drawn).map(move |index| index * points / drawn)
}

/// Indices of the points to draw, evenly thinned, in an order that mixes the classes of a sorted table,
/// so that the last class does not cover the others.
pub fn drawing_order(points: usize) -> Vec<usize> {
    let mut order: Vec<usize> = thinned(points, DRAWN).collect();
    order.sort_by_key(|&index| (index as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    order
}
