//! Journals whose state is damaged and whose checksum is right, so that the damage reaches what reads the state.

use burn_nca_files::{Identity, to_journal};
use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::json_damage;

/// A journal of which only the state is looked at.
#[derive(Clone, Serialize, Deserialize)]
pub struct Journal {
    of: Work,
    pub state: Value,
}

/// What work the journal is of, as it was written.
#[derive(Clone, Serialize, Deserialize)]
#[serde(transparent)]
struct Work(Value);

impl Identity for Work {
    fn refusal(&self, _: &Self) -> Option<String> {
        None
    }
}

impl Journal {
    pub fn of_bytes(bytes: &[u8]) -> Self {
        serde_json::from_slice(bytes).unwrap()
    }

    /// With the checksum of today's state.
    pub fn to_bytes(&self) -> Vec<u8> {
        to_journal(&self.of, &self.state, &[]).unwrap()
    }

    /// Mostly the state is edited and its checksum made anew; else the whole file is damaged.
    pub fn damaged(&self, rng: &mut impl Rng) -> Vec<u8> {
        if rng.random_range(0..4) == 0 {
            let whole = serde_json::from_slice(&self.to_bytes()).unwrap();
            return json_damage::edited(&[whole], rng);
        }
        let state = json_damage::edited(std::slice::from_ref(&self.state), rng);
        match serde_json::from_slice(&state) {
            Ok(state) => Self { state, ..self.clone() }.to_bytes(),
            Err(_) => state,
        }
    }
}
