//! Training and test rows, scaled by the training rows, and how a map's neighbors classify them.

use anyhow::{Context, Result};
use burn::tensor::{DType, Device, Tensor};
use burn_nca_learn::baseline::Projection;
use burn_nca_learn::data::{Features, Labeled, Scaling, ScalingKind, Split, TensorFeatures};
use burn_nca_learn::evaluate::{Embedded, held_out_accuracy, leave_one_out_accuracy};

/// The rows to learn from and those to test on.
pub struct Parts {
    /// The rows to learn from.
    pub train: Labeled,
    /// The others.
    pub test: Labeled,
}

/// The test rows of [`Parts`] in the space of a map, and the accuracy of 1-NN there.
pub struct Mapped {
    /// The test rows, `[m, k]`.
    pub test: Tensor<2>,
    /// On the training rows, each left out in turn, 0..1.
    pub train_accuracy: f64,
    /// On the test rows, 0..1.
    pub test_accuracy: f64,
}

impl Parts {
    /// The rows of a split, scaled by the statistics of its training rows.
    ///
    /// # Errors
    /// Never for rows of one table.
    pub fn of(data: &Labeled, split: &Split, kind: ScalingKind) -> Result<Self> {
        let (train, test) = (data.select(&split.train), data.select(&split.test));
        let scaling = Scaling::fit(kind, train.features());
        Ok(Self {
            train: train.with_features(scaling.apply(train.features())?)?,
            test: test.with_features(scaling.apply(test.features())?)?,
        })
    }

    /// Takes both parts to the space of a map, in f64, and classifies them by the nearest training row.
    ///
    /// # Errors
    /// A map of other columns, coordinates that are not finite, or a part without rows.
    pub fn mapped(&self, map: &Projection, device: &Device) -> Result<Mapped> {
        let points = |features: &Features| -> Result<Tensor<2>> {
            Ok(map.apply(features)?.to_tensor(device, DType::F64))
        };
        let (train, test) = (points(self.train.features())?, points(self.test.features())?);
        let references = Embedded::new(&train, self.train.labels());
        let queries = Embedded::new(&test, self.test.labels());
        let train_accuracy = leave_one_out_accuracy(references, 1)?.value();
        let test_accuracy = held_out_accuracy(references, queries, 1)?.value();
        Ok(Mapped {
            train_accuracy: train_accuracy.context("there is no training row")?,
            test_accuracy: test_accuracy.context("there is no test row")?,
            test,
        })
    }
}
