//! A run from the files to the results.

use anyhow::{Result, bail};
use burn::module::Module;
use burn::tensor::Device;
use burn_nca_learn::device;
use burn_nca_program::{Bar, Interrupt, RunFolder, eprint_line, write_file};
use serde::Serialize;

use crate::arguments::Arguments;
use crate::batches::Source;
use crate::digits::{Centering, Digits, Mnist};
use crate::embedding::write_npy;
use crate::encoder::Network;
use crate::evaluation::{Answer, Question, Scores};
use crate::picture::picture;
use crate::recipe::Recipe;
use crate::search_table::{self, Row};
use crate::training::{Ended, Epoch, Trainer};

/// The file that holds the state of a run while it runs.
const CHECKPOINT: &str = "state.checkpoint";
/// The text next to the bar of batches.
const BAR: &str = "{bar:24} batch {pos} of {len}  {msg}  about {eta} left";

/// What `results.json` holds.
#[derive(Serialize)]
struct Results<'a> {
    recipe: &'a Recipe,
    /// Which digits were trained on, were references, and were classified.
    split: String,
    rule: &'static str,
    parameters: usize,
    cores: usize,
    ended: Ended,
    /// Seconds of training, without the evaluations.
    training_seconds: f64,
    last: &'a Scores,
    epochs: &'a [Epoch],
    search: Vec<Row>,
}

const RULE: &str =
    "majority of the nearest references; a tie goes to the nearest of the tied neighbors";

/// Trains, evaluates after each epoch, and writes the folder of the run.
///
/// # Errors
/// Files, settings or a device that cannot be used, or a loss that stops to be a number.
pub fn run(arguments: &Arguments) -> Result<()> {
    let recipe = Recipe::new(arguments)?;
    let Some(data) = &arguments.data else {
        bail!("no data; give the folder of the four MNIST files with --data");
    };
    let device = device::open(&arguments.device)?;
    let mnist = Mnist::read(data)?;
    let (train, queries, split) = parts(mnist, recipe.held_out)?;
    let folder = RunFolder::open(&arguments.out, arguments.resume, &[CHECKPOINT])?;
    let interrupt = Interrupt::listen("batch")?;

    let centering = Centering::of(&train);
    let question = Question { references: &train, queries: &queries, centering: &centering };
    let start = Network::start(&recipe, (&train, &centering), &device.clone().autodiff())?;
    let checkpoint = folder.file(CHECKPOINT);
    let source = Source::new(&train, &centering, &recipe);
    let mut trainer = Trainer::new(&recipe, source, start, &checkpoint);
    if arguments.resume {
        trainer.resume()?;
    }
    let bar = Bar::new(BAR, arguments.quiet).with_length(trainer.steps());
    let ended = trainer.run(&bar, &interrupt, |network| Ok(question.ask(network)?.scores))?;
    bar.finish();
    match ended {
        Ended::EpochsDone => {
            eprint_line(&format!("ended: all {} epochs are done", recipe.epochs));
            write(arguments, &recipe, folder, (&trainer, &question, &device, split))
        }
        Ended::Stopped => {
            eprint_line("ended: stopped by Ctrl-C; the same command with --resume continues");
            Ok(())
        }
        Ended::NotFinite => bail!(
            "the loss is not finite after epoch {}; give a smaller --lr than {}",
            trainer.history().len(),
            recipe.learning_rate
        ),
    }
}

/// The digits to train on, those to classify, and what to say of them.
fn parts(mnist: Mnist, held_out: usize) -> Result<(Digits, Digits, String)> {
    let n = mnist.train.len();
    if held_out == 0 {
        let split =
            format!("all {n} training digits; the {} standard test digits", mnist.test.len());
        return Ok((mnist.train, mnist.test, split));
    }
    if held_out >= n {
        bail!("--held-out is {held_out} of {n} training digits; give fewer, such as 5000");
    }
    let (train, held) = mnist.train.split_at(n - held_out);
    let split = format!(
        "the first {} training digits; the last {held_out} training digits, held out",
        n - held_out
    );
    Ok((train, held, split))
}

fn write(
    arguments: &Arguments,
    recipe: &Recipe,
    folder: RunFolder,
    (trainer, question, device, split): (&Trainer, &Question, &Device, String),
) -> Result<()> {
    let network = trainer.network();
    let answer = question.ask(network)?;
    let name = format!("{:?}", recipe.encoder).to_lowercase();
    let search = if arguments.raw {
        eprint_line("timing the searches");
        search_table::rows(question, &answer, &name, device)?
    } else {
        Vec::new()
    };
    let Answer { references, queries, scores } = &answer;
    write_npy(&folder.file("references.npy"), references)?;
    write_npy(&folder.file("queries.npy"), queries)?;
    let error = 100.0 * scores.error_5;
    let title = format!(
        "{} digits by the {name} encoder, {} dimensions: 5-NN error {error:.2} %",
        scores.queries, recipe.dim
    );
    picture(queries, question.queries.labels(), &title)?.write(&folder.file("embedding"))?;
    network.valid().save_file(folder.file("encoder.bpk"))?;
    let results = Results {
        recipe,
        split,
        rule: RULE,
        parameters: network.num_params(),
        cores: std::thread::available_parallelism().map_or(1, usize::from),
        ended: Ended::EpochsDone,
        training_seconds: trainer.history().iter().map(|epoch| epoch.seconds).sum(),
        last: scores,
        epochs: trainer.history(),
        search,
    };
    let mut text = serde_json::to_vec_pretty(&results)?;
    text.push(b'\n');
    write_file(&folder.file("results.json"), &text)?;
    folder.finish()?;
    eprint_line(&format!("5-NN error {error:.2} %; results in {}", arguments.out.display()));
    Ok(())
}
