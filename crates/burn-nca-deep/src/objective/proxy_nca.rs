//! ProxyNCA++: each row against one learned proxy of each class.

use burn::config::Config;
use burn::module::{Module, Param};
use burn::nn::loss::Reduction;
use burn::tensor::{DType, Device, Int, Tensor, assert_shape};
use burn_nca::internal::{Contrast, Contrasted, show_affinity};
use burn_nca::objective::transfer::float_tensor;
use burn_nca::objective::{
    BatchLoss, Candidates, ClassTarget, Similarity, Temperature, TemperatureConfig,
};
use burn_nca::{Sums, shown_on_one_line};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

/// The settings of a [`ProxyNcaLoss`].
#[derive(Config, Debug)]
pub struct ProxyNcaLossConfig {
    /// Number of classes, and of proxies.
    pub classes: usize,
    /// Number of embedding dimensions, k.
    pub d_embedding: usize,
    /// How alike a row and a proxy are; the cosine by default.
    #[config(default = "Similarity::Cosine")]
    pub similarity: Similarity,
    /// The temperature T; fixed at 1/18 of the cosine by default, the paper's 1/9 of the squared distance of
    /// unit vectors.
    #[config(default = "TemperatureConfig::new(1.0 / 18.0)")]
    pub temperature: TemperatureConfig,
    /// How the terms of the rows are reduced.
    #[config(default = "Reduction::Mean")]
    pub reduction: Reduction,
    /// How the sums over pairs are added up.
    #[config(default = "Sums::Auto")]
    pub sums: Sums,
    /// The seed of the proxies.
    #[config(default = 0)]
    pub seed: u64,
}

impl ProxyNcaLossConfig {
    /// The loss with these settings and proxies from a normal distribution of deviation 1/8 (as the paper's
    /// code draws them), on the host: one seed gives the same proxies on every device.
    ///
    /// # Panics
    /// If there is no class or no dimension, or the temperature is not positive and finite.
    pub fn init(&self, device: &Device) -> ProxyNcaLoss {
        let Self { classes, d_embedding, .. } = *self;
        assert!(
            classes > 0 && d_embedding > 0,
            "proxies need at least one class and one dimension, got {classes} and {d_embedding}"
        );
        let normal = StandardNormal.sample_iter(ChaCha8Rng::seed_from_u64(self.seed));
        let values = normal.take(classes * d_embedding).map(|normal: f64| normal / 8.0).collect();
        let shape = [classes, d_embedding];
        ProxyNcaLoss {
            proxies: Param::from_tensor(float_tensor(values, shape, device, DType::F32)),
            temperature: self.temperature.init(device),
            config: self.clone(),
        }
    }
}

/// ProxyNCA++: the log-probability of choosing the proxy of the row's class among all proxies.
///
/// ```text
/// l = -1/b Σ_i log ( exp(s(z_i, f_{y_i}) / T) / Σ_c exp(s(z_i, f_c) / T) )             (section 3 of [1])
/// ```
/// with one learned proxy `f_c` a class. The own one is in the denominator too: unlike ProxyNCA \[2\], these are probabilities.
/// The paper's `s = -||z/|z| - f/|f|||²` at T = 1/9 is the cosine at T = 1/18 ([`Similarity`]). No pair of rows is compared, so
/// any batch size will do.
///
/// The proxies are a parameter of this module: keep the loss in the model, so that the optimizer sees them. The paper gives them a
/// larger learning rate than the network (a parameter group of Burn's optimizer does that), and pools and normalizes the network's
/// last layer.
///
/// # References
/// \[1\] E. W. Teh, T. DeVries, G. W. Taylor, ProxyNCA++: Revisiting and Revitalizing Proxy Neighborhood
/// Component Analysis, ECCV 2020. \[2\] Y. Movshovitz-Attias et al., No Fuss Distance Metric Learning using
/// Proxies, ICCV 2017.
///
/// # Examples
/// By hand: proxies along the two axes, one row along the first, one along the diagonal, both of class 0, T =
/// 1/log 2 (then `exp(s/T) = 2^s`).
/// ```text
/// row 1: cosines 1 and 0:      p = 2/3
/// row 2: both cosines 1/√2:    p = 1/2        l = -(log 2/3 + log 1/2) / 2 = (log 3) / 2
/// ```
/// ```
/// use burn::module::Param;
/// use burn::tensor::{Device, Int, Tensor};
/// use burn_nca::objective::TemperatureConfig;
/// use burn_nca_deep::objective::ProxyNcaLossConfig;
///
/// let device = Device::flex();
/// let temperature = TemperatureConfig::new(1.0 / 2f64.ln());
/// let mut loss = ProxyNcaLossConfig::new(2, 2).with_temperature(temperature).init(&device);
/// loss.proxies = Param::from_data([[3.0, 0.0], [0.0, 1.0]], &device);
/// let embeddings = Tensor::<2>::from_floats([[1.0, 0.0], [5.0, 5.0]], &device);
/// let labels = Tensor::<1, Int>::from_ints([0, 0], &device);
/// let found: f64 = loss.forward(embeddings, labels).into_scalar();
/// assert!((found - 3f64.ln() / 2.0).abs() < 1e-6);
/// ```
#[derive(Module, Debug)]
#[module(custom_display)]
pub struct ProxyNcaLoss {
    /// One proxy a class, `[c, k]`.
    pub proxies: Param<Tensor<2>>,
    /// The temperature.
    pub temperature: Temperature,
    #[module(skip)]
    config: ProxyNcaLossConfig,
}

shown_on_one_line!(ProxyNcaLoss, |module, content| {
    let [classes, k] = module.proxies.dims();
    let content =
        content.add_debug_attribute("classes", &classes).add_debug_attribute("d_embedding", &k);
    show_affinity(content, module.config.similarity, &module.temperature)
});

impl ProxyNcaLoss {
    /// The loss of a batch. Plain sums leave everything on the device; fused ones read the labels from it, once.
    ///
    /// # Shapes
    /// - embeddings: `[n, k]`
    /// - labels: `[n]`, of any integer type, below the number of classes; a row of another label has no proxy, adds nothing and
    ///   is not counted
    /// - output: `[1]`
    ///
    /// # Panics
    /// If there is not one label per embedding row, no row, or the embedding has other dimensions than the proxies.
    pub fn forward(&self, embeddings: Tensor<2>, labels: Tensor<1, Int>) -> Tensor<1> {
        let [n, k] = embeddings.dims();
        let proxies = self.proxies.val().dequantize().cast(embeddings.dtype());
        let [classes, d_embedding] = proxies.dims();
        assert_shape!(labels, [n]);
        assert_eq!(k, d_embedding, "the embedding has {k} dimensions, the proxies {d_embedding}");
        let device = embeddings.device();
        let of_proxies = Tensor::arange(0..classes as i64, &device);
        let candidates = Candidates::of_others(proxies, of_proxies);
        let ProxyNcaLossConfig { similarity, sums, .. } = self.config;
        let contrasted = Contrasted { sums, similarity, temperature: self.temperature.clone() };
        let terms = |contrast: &dyn Contrast| contrast.log_p().neg();
        contrasted.loss(&terms, (embeddings, labels), &candidates, &self.config.reduction)
    }
}

impl BatchLoss for ProxyNcaLoss {
    type Target = ClassTarget;

    fn batch_loss(&self, embeddings: Tensor<2>, target: &ClassTarget) -> Tensor<1> {
        self.forward(embeddings, target.labels.clone())
    }
}

#[cfg(test)]
mod tests {
    use burn::module::Quantizer;
    use burn::tensor::quantization::{Calibration, QuantScheme};

    use burn::tensor::TensorData;

    use super::*;

    #[test]
    fn quantized_proxies_give_nearly_the_same_loss() {
        let device = Device::flex();
        let loss = ProxyNcaLossConfig::new(4, 8).init(&device);
        let z: Vec<f32> = (0..24).map(|i| (i * 7 % 11) as f32 - 5.0).collect();
        let z = Tensor::<2>::from_data(TensorData::new(z, [3, 8]), &device);
        let value = |loss: &ProxyNcaLoss| -> f64 {
            loss.forward(z.clone(), Tensor::from_ints([0, 1, 3], &device)).into_scalar()
        };
        let mut quantizer = Quantizer::new(Calibration::MinMax, QuantScheme::default());
        let rounded = loss.clone().quantize_weights(&mut quantizer);
        assert!((value(&loss) - value(&rounded)).abs() < 0.3);
    }
}
