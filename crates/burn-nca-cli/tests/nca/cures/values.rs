//! The values that messages of the library ask for: settings out of their range, and the same command with what is asked.

use crate::Place;

use super::run;
use super::text::table;
use super::worded::cells;

/// Options that are refused, words of the refusal, and the options as it asks for them.
const VALUES: &str = "
nca --set repulsion=-1 | a finite weight that is not negative | nca --set repulsion=0.5
nca --init lda |  | nca
nca --init lda --dim 3 |  | nca --dim 3
gvsm --init lda |  | gvsm
lda --dim 3 | ask for 2 or fewer | lda --dim 2
lda --dim 3 | or use PCA | pca --dim 3
pca --dim 9 | ask for 3 or fewer | pca --dim 3
lca --dim 9 | ask for 3 or fewer | lca --dim 3
rca --set tolerance=1 | from 0 to below 1, such as 1e-8 | rca --set tolerance=1e-8
whitening --set tolerance=-1 | from 0 to below 1, such as 1e-8 | whitening --set tolerance=1e-8
lca --set targets=0 | at least 1 | lca --set targets=1
lca --encoder mlp | leave the encoder linear | lca
lca --encoder mlp | the trainer to gradient | lca --encoder mlp --set trainer=gradient
lca --l2 0.1 | set it to 0 | lca --l2 0
lca --l2 0.1 | or the trainer to gradient | lca --l2 0.1 --set trainer=gradient
lca-classifier --encoder diagonal | take a linear one | lca-classifier --encoder linear
lmnn --set neighbors=0 | 1 or more, such as 3 | lmnn --set neighbors=1
lmnn --set push=1 | between 0 and 1, such as 0.5 | lmnn --set push=0.5
vsm --set width_penalty=-1 | 0 (none) or a positive number such as 0.1 | vsm --set width_penalty=0.1
modern --set members=1 --set candidates=2 | from 0 to 1 | modern --set members=1 --set candidates=1
";

/// The same of whole commands.
const COMMANDS: &str = "
fit noisy-xor:rows=40,alpha=2 | a number from -1 to 1, such as 0.5 | fit noisy-xor:rows=40,alpha=0.5
fit noisy-xor:rows=40,noise=-1/1 | a standard deviation of 0 or more | fit noisy-xor:rows=40,noise=0/1
fit noisy-xor:rows=0 | at least 1 | fit noisy-xor:rows=40
fit noisy-xor:rows=few | give a whole number, such as 100 | fit noisy-xor:rows=100
fit noisy-xor:rows=99999999 | ask for at most 16777216 rows | fit noisy-xor:rows=40
fit noisy-xor:rows=40,rows=40 | give it once | fit noisy-xor:rows=40
fit noisy-xor:rows=40,q=1 | the options are alpha, noise, irrelevant, rows, seed | fit noisy-xor:rows=40,seed=1
fit t.csv --ignore n --device abacus | a device is cpu | fit t.csv --ignore n --device cpu
fit t.csv --ignore n --picture p.gif | one of these endings | fit t.csv --ignore n --picture p.svg
";

/// The command of a fit by these options, which takes seconds at most.
fn fit(options: &str) -> String {
    let short = match options.split(' ').next() {
        Some("modern") => "--time-budget 2",
        Some("lda" | "pca" | "rca" | "whitening") => "",
        _ => "--max-iterations 2",
    };
    format!("fit t.csv --ignore n --method {options} {short}")
}

/// What the refused ones say, each of them tried.
pub(super) fn messages() -> Vec<String> {
    let place = Place::new();
    place.file("t.csv", table("FORTY"));
    let (mut wrong, mut messages) = (Vec::new(), Vec::new());
    let fits = cells(VALUES).map(|[refused, words, cured]| (fit(refused), words, fit(cured)));
    let commands =
        cells(COMMANDS).map(|[refused, words, cured]| (refused.into(), words, cured.into()));
    for (refused, words, cured) in fits.chain(commands) {
        let (done, stderr) = run(&place, &refused);
        if done || !stderr.contains(words) {
            wrong.push(format!("{refused}: {words:?} is not in {stderr}"));
        }
        messages.extend((!words.is_empty()).then_some(stderr));
        let (done, stderr) = run(&place, &cured);
        if !done {
            wrong.push(format!("{cured}, which {refused} asks for: {stderr}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    messages
}
