//! Settings of fits and encoders out of their range, which options of the program do not take, and checkpoints of others.

use burn_nca_learn::encoder::{EncoderConfig, HiddenLayers, ModernConfig};
use burn_nca_learn::fit::{
    EarlyStoppingConfig, FitConfig, FitSession, LbfgsConfig, OptimizerConfig, SgdConfig,
    StochasticConfig,
};

use super::learned::{data, device, estimator, kept};
use super::worded::{Refused, refused};

pub(super) fn all() -> Vec<Refused> {
    [fits(), encoders(), checkpoints()].into_iter().flatten().collect()
}

fn fits() -> Vec<Refused> {
    let check = |config: FitConfig| config.check();
    let fit = FitConfig::new;
    let l2 = |l2| check(fit().with_l2(l2));
    let perplexity = |perplexity| check(fit().with_start_perplexity(Some(perplexity)));
    let stopping = |share, patience| {
        let stop = EarlyStoppingConfig::new().with_share(share).with_patience(patience);
        check(fit().with_early_stopping(Some(stop)))
    };
    let budget = |seconds| check(fit().with_time_budget(Some(seconds)));
    let lbfgs = |config: LbfgsConfig| check(fit().with_optimizer(OptimizerConfig::Lbfgs(config)));
    let tolerance = |tolerance| lbfgs(LbfgsConfig::new().with_tolerance_gradient(tolerance));
    let history = |history| lbfgs(LbfgsConfig::new().with_history(history));
    let momentum = |momentum| {
        check(fit().with_optimizer(OptimizerConfig::Sgd(SgdConfig::new().with_momentum(momentum))))
    };
    let adam = |batches| check(fit().with_optimizer(OptimizerConfig::Adam(batches)));
    let batch = |rows| adam(StochasticConfig::new().with_batch_size(Some(rows)));
    let rate = |rate| adam(StochasticConfig::new().with_learning_rate(Some(rate)));
    let decay = |decay| adam(StochasticConfig::new().with_weight_decay(Some(decay)));
    let candidates = |candidates, batch| {
        let batches = StochasticConfig::new().with_batch_size(Some(batch));
        adam(batches.with_candidates(Some(candidates)))
    };
    vec![
        refused(l2(-1.0)).by("give a finite weight that is not negative, such as 0.001", l2(0.001)),
        refused(perplexity(1.0))
            .by("give a number of neighbors above 1, such as 15", perplexity(15.0)),
        refused(stopping(1.0, 9))
            .by("give a number between 0 and 1, such as 0.2", stopping(0.2, 9)),
        refused(stopping(0.2, 0)).by("give at least 1 iteration", stopping(0.2, 1)),
        refused(budget(0.0)).by("give a positive number", budget(1.0)),
        refused(tolerance(-1.0))
            .by("give a number from 0 (never stop by it) up, such as 1e-6", tolerance(1e-6)),
        refused(history(0)).by("give 1 or more", history(1)),
        refused(momentum(1.0)).by("give a number from 0 to below 1, such as 0.9", momentum(0.9)),
        refused(batch(1)).by("a row needs neighbors in its batch, so give 2 or more", batch(2)),
        refused(rate(0.0)).by("give a positive number, such as 0.01", rate(0.01)),
        refused(decay(-1.0)).by("give a number of 0 or more, such as 0.01", decay(0.01)),
        refused(candidates(4, 8))
            .by("give as many candidates or more", candidates(8, 8))
            .by("a smaller batch", candidates(4, 4)),
        refused(adam(
            StochasticConfig::new().with_candidates(Some(9)).with_nearest_candidates(Some(9)),
        ))
        .by("give one of the two", candidates(8, 8)),
    ]
}

fn encoders() -> Vec<Refused> {
    let mlp = |hidden: &[usize], k| EncoderConfig::mlp(hidden).check_size(2, k);
    let activations = |width| EncoderConfig::mlp(&[width]).check_activations([2, 1], 1 << 20);
    let layers = |layers: HiddenLayers| EncoderConfig::Mlp(layers).check_size(2, 1);
    let dropout = |dropout| layers(HiddenLayers { dropout, ..vec![3].into() });
    let noise = |noise| layers(HiddenLayers { noise, ..vec![3].into() });
    let modern = |change: &dyn Fn(&mut ModernConfig)| {
        let mut config = ModernConfig { members: 2, ..ModernConfig::default() };
        change(&mut config);
        config.check(2)
    };
    let members = |members| modern(&|config| config.members = members);
    let modern_dropout = |dropout| modern(&|config| config.dropout = dropout);
    let width = |width| modern(&|config| (config.blocks, config.width) = (1, width));
    vec![
        refused(mlp(&[0], 1)).by("give each 1 or more", mlp(&[1], 1)),
        refused(mlp(&[2; 101], 1)).by("give 100 or fewer", mlp(&[2; 100], 1)),
        refused(mlp(&[2], 21)).by("ask for 20 dimensions or fewer", mlp(&[2], 20)),
        refused(mlp(&[9000, 9000], 9000))
            .by("ask for fewer dimensions", mlp(&[3000, 9000], 100))
            .by("smaller hidden layers", mlp(&[1000, 1000], 9000)),
        refused(activations(257)).by("give layers of 256 or fewer", activations(256)),
        refused(dropout(1.0)).by("give a share of the units, at least 0 and below 1", dropout(0.0)),
        refused(noise(-1.0)).by("give a standard deviation of 0 or more", noise(0.0)),
        refused(members(0)).by("give 1 member or more, each the same number", members(2)),
        refused(modern_dropout(1.0))
            .by("give a share of the units, at least 0 and below 1", modern_dropout(0.5)),
        refused(width(0)).by("give each more than 0", width(1)),
    ]
}

fn checkpoints() -> Vec<Refused> {
    let of = kept("delete it to start again", |k, file| {
        let session = FitSession::new().with_checkpoint(file).keep_checkpoint();
        estimator("nca", k).fit_session(&data(), &device(), session).map(drop)
    });
    of.into()
}
