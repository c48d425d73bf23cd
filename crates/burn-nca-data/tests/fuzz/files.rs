//! How many damaged files a target is given, and by which seed.

use std::time::{Duration, Instant};

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |value| value.parse().expect("a whole number"))
}

/// `BURN_NCA_FUZZ_SEED`: another seed, other damage.
pub fn seed() -> u64 {
    setting("BURN_NCA_FUZZ_SEED", 0)
}

/// The numbers of the files: `count` of them, or as many as `BURN_NCA_FUZZ` says, and then more until
/// `BURN_NCA_FUZZ_SECONDS` are over. `BURN_NCA_FUZZ_FROM` leaves the first ones out.
pub fn numbers(count: u64) -> impl Iterator<Item = u64> {
    let (first, end) = (setting("BURN_NCA_FUZZ_FROM", 0), setting("BURN_NCA_FUZZ", count));
    let least = Duration::from_secs(setting("BURN_NCA_FUZZ_SECONDS", 0));
    let started = Instant::now();
    (first..).take_while(move |number| *number < end || started.elapsed() < least)
}

/// What a file is damaged by: its number and the seed.
pub fn generator(number: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed());
    rng.set_stream(number);
    rng
}
