//! Losses of how alike a row is to those of its class, among all: supervised contrastive, and soft nearest neighbors.

use burn::config::Config;
use burn::module::Module;
use burn::nn::loss::Reduction;
use burn::tensor::{Device, Int, Tensor};
use burn_nca::internal::{Contrast, Contrasted, show_affinity, within_batch};
use burn_nca::objective::{
    BatchLoss, CandidateLoss, Candidates, ClassTarget, Similarity, Temperature, TemperatureConfig,
};
use burn_nca::{Sums, shown_on_one_line};

/// A loss with its settings: what these are by default, and the term of each query.
macro_rules! contrastive {
    (
        $(#[$of_config:meta])* $config:ident:
        $(#[$of_similarity:meta])* similarity, $(#[$of_temperature:meta])* temperature;
        $(#[$of_loss:meta])* $loss:ident: $terms:expr
    ) => {
        $(#[$of_config])*
        #[derive(Config, Debug)]
        pub struct $config {
            $(#[$of_similarity])*
            pub similarity: Similarity,
            $(#[$of_temperature])*
            pub temperature: TemperatureConfig,
            /// How the terms of the anchors that have a positive are reduced.
            #[config(default = "Reduction::Mean")]
            pub reduction: Reduction,
            /// How the sums over pairs are added up.
            #[config(default = "Sums::Auto")]
            pub sums: Sums,
        }

        impl $config {
            /// The loss with these settings; the device holds a learned temperature.
            ///
            /// # Panics
            /// If the temperature is not positive and finite.
            pub fn init(&self, device: &Device) -> $loss {
                $loss { temperature: self.temperature.init(device), config: self.clone() }
            }
        }

        $(#[$of_loss])*
        #[derive(Module, Debug)]
        #[module(custom_display)]
        pub struct $loss {
            /// The temperature.
            pub temperature: Temperature,
            #[module(skip)]
            config: $config,
        }

        shown_on_one_line!($loss, |module, content| show_affinity(
            content,
            module.config.similarity,
            &module.temperature
        ));

        impl $loss {
            /// The loss of a batch. Plain sums leave everything on the device; fused ones read the labels from it, once.
            ///
            /// # Shapes
            /// - embeddings: `[n, k]`, of any length where the cosine normalizes
            /// - labels: `[n]`, of any integer type
            /// - output: `[1]`
            ///
            /// # Panics
            /// If there is not one label per embedding row, or no row.
            pub fn forward(&self, embeddings: Tensor<2>, labels: Tensor<1, Int>) -> Tensor<1> {
                within_batch(self, embeddings, labels)
            }
        }

        impl BatchLoss for $loss {
            type Target = ClassTarget;

            fn batch_loss(&self, embeddings: Tensor<2>, target: &ClassTarget) -> Tensor<1> {
                self.forward(embeddings, target.labels.clone())
            }
        }

        impl CandidateLoss for $loss {
            fn forward_among(
                &self,
                queries: Tensor<2>,
                labels: Tensor<1, Int>,
                candidates: &Candidates,
            ) -> Tensor<1> {
                let $config { similarity, sums, .. } = self.config;
                let temperature = self.temperature.clone();
                let contrasted = Contrasted { sums, similarity, temperature };
                contrasted.loss(&$terms, (queries, labels), candidates, &self.config.reduction)
            }
        }
    };
}

contrastive! {
    /// The settings of a [`SupConLoss`].
    SupConLossConfig:
    /// How alike two rows are; the cosine by default, as in the paper.
    #[config(default = "Similarity::Cosine")]
    similarity,
    /// The temperature T; fixed at 0.1 by default, as in the paper.
    #[config(default = "TemperatureConfig::new(0.1)")]
    temperature;

    /// The supervised contrastive loss: the mean log-probability of each positive on its own.
    ///
    /// ```text
    /// l = Σ_i -1/|P(i)| Σ_{p∈P(i)} log ( exp(s_ip / T) / Σ_{a∈A(i)} exp(s_ia / T) )        (eq. 2 of [1], "out")
    /// A(i) = all rows but i,   P(i) = those of A(i) with i's label
    /// ```
    /// Unlike NCA, where one near positive is enough, every positive is asked for. The mean over the anchors that have a
    /// positive is the default (the paper's (2) is the sum; its published code also scales by T over a base temperature, which
    /// this loss does not). Give two views of an image as two rows of one label.
    ///
    /// # Numerics
    /// In log space; the anchor is left out by position. An anchor without a positive is not counted.
    ///
    /// # References
    /// \[1\] P. Khosla et al., Supervised Contrastive Learning, NeurIPS 2020.
    ///
    /// # Examples
    /// By hand: unit vectors at 0, 90 and 180 degrees of one class, T = 1/log 2 (then `exp(s/T) = 2^s`).
    /// ```text
    /// cosines: (0°, 90°) = 0, (90°, 180°) = 0, (0°, 180°) = -1, so 2^s = 1, 1, 1/2
    /// anchor 0°:   all = 3/2, terms -log 2/3 and -log 1/3: mean (log 3/2 + log 3) / 2
    /// anchor 90°:  all = 2,   both terms log 2
    /// anchor 180°: as anchor 0°                            l = (log 3/2 + log 3 + log 2) / 3 = (2/3) log 3
    /// ```
    /// ```
    /// use burn::tensor::{Device, Int, Tensor};
    /// use burn_nca::objective::TemperatureConfig;
    /// use burn_nca_deep::objective::SupConLossConfig;
    ///
    /// let device = Device::flex();
    /// let embeddings = Tensor::<2>::from_floats([[2.0, 0.0], [0.0, 1.0], [-1.0, 0.0]], &device);
    /// let labels = Tensor::<1, Int>::from_ints([0, 0, 0], &device);
    /// let temperature = TemperatureConfig::new(1.0 / 2f64.ln());
    /// let loss = SupConLossConfig::new().with_temperature(temperature).init(&device);
    /// let found: f64 = loss.forward(embeddings, labels).into_scalar();
    /// assert!((found - 2.0 / 3.0 * 3f64.ln()).abs() < 1e-6);
    /// ```
    SupConLoss: |contrast: &dyn Contrast| {
        // Σ_p log(..) = Σ_p l_ip - |P| log Σ_a exp(l_ia), over |P|
        (contrast.log_all() - contrast.mean_positive()).mask_fill(contrast.without_positive(), 0.0)
    }
}

contrastive! {
    /// The settings of a [`SoftNearestNeighborLoss`].
    SoftNearestNeighborLossConfig:
    /// How alike two rows are; the squared Euclidean distance by default, as in the paper.
    #[config(default = "Similarity::SqEuclidean")]
    similarity,
    /// The temperature T; fixed at 1 by default.
    #[config(default = "TemperatureConfig::new(1.0)")]
    temperature;

    /// The soft nearest neighbor loss: the log-probability that a neighbor drawn at temperature T is of the
    /// anchor's class.
    ///
    /// ```text
    /// l = -1/b Σ_i log ( Σ_{j≠i, y_j=y_i} exp(s_ij / T) / Σ_{a≠i} exp(s_ia / T) )       (eq. 1 of [1])
    /// ```
    /// With `s = -||z_i - z_j||²` and T = 1 this is -g/b of NCA (equation 6 of its paper). \[1\] learns T with the
    /// network; there the loss is often subtracted, to entangle the classes of a hidden layer.
    ///
    /// # Numerics
    /// As [`NcaLoss`](burn_nca::objective::NcaLoss), in log space. An anchor without a positive is not counted.
    ///
    /// # References
    /// \[1\] N. Frosst, N. Papernot, G. Hinton, Analyzing and Improving Representations with the Soft Nearest
    /// Neighbor Loss, ICML 2019.
    ///
    /// # Examples
    /// By hand: points 0, 1, 3 on a line, classes a, a, b, T = 1/log 2 (then `exp(-d²/T) = 2^(-d²)`).
    /// ```text
    /// anchor 0: positives 2^-1, all 2^-1 + 2^-9:  p = 256/257
    /// anchor 1: positives 2^-1, all 2^-1 + 2^-4:  p = 8/9
    /// anchor 3: no positive, not counted          l = -(log 256/257 + log 8/9) / 2
    /// ```
    /// ```
    /// use burn::tensor::{Device, Int, Tensor};
    /// use burn_nca::objective::TemperatureConfig;
    /// use burn_nca_deep::objective::SoftNearestNeighborLossConfig;
    ///
    /// let device = Device::flex();
    /// let embeddings = Tensor::<2>::from_floats([[0.0], [1.0], [3.0]], &device);
    /// let labels = Tensor::<1, Int>::from_ints([0, 0, 1], &device);
    /// let temperature = TemperatureConfig::new(1.0 / 2f64.ln());
    /// let loss = SoftNearestNeighborLossConfig::new().with_temperature(temperature).init(&device);
    /// let found: f64 = loss.forward(embeddings, labels).into_scalar();
    /// let expected = -((256.0 / 257.0f64).ln() + (8.0 / 9.0f64).ln()) / 2.0;
    /// assert!((found - expected).abs() < 1e-6);
    /// ```
    SoftNearestNeighborLoss: |contrast: &dyn Contrast| contrast.log_p().neg()
}
