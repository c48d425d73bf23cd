//! Table 1 of the paper: its sets, how they were prepared, and what it reports.

/// A row of Table 1.
#[derive(Debug)]
pub struct Plan {
    /// The set.
    pub name: &'static str,
    /// What it is, and what is done to it before anything is learned.
    pub preparation: &'static str,
    /// Dimensions that PCA reduces the input to first, where it does.
    pub reduce: Option<usize>,
    /// Dimensions p of LCA's best map.
    pub dimension: usize,
    /// The rows of a split that are learned from, where their number is given; 70 % otherwise.
    pub train_rows: Option<usize>,
    /// Test errors in percent, as printed: Euclidean, PCA, LMNN, LCA.
    pub printed: [f64; 4],
}

/// In the order of the paper.
pub const PLANS: [Plan; 8] = [
    Plan {
        name: "mnist",
        preparation: "deslanted by the image's moments; the files' own training and test images",
        reduce: Some(164),
        dimension: 40,
        train_rows: None,
        printed: [2.83, 2.12, 1.34, 1.61],
    },
    Plan {
        name: "bbc",
        preparation: "raw word counts",
        reduce: Some(200),
        dimension: 4,
        train_rows: None,
        printed: [30.10, 11.90, 3.40, 3.41],
    },
    Plan {
        name: "classic4",
        preparation: "tf-idf of length 1, as its source has it; 60 % to learn from, 20 % to test on, the rest not used",
        reduce: Some(200),
        dimension: 32,
        train_rows: None,
        printed: [7.89, 9.74, 3.19, 3.54],
    },
    Plan {
        name: "isolet",
        preparation: "as it is; the files' own training and test rows",
        reduce: Some(172),
        dimension: 40,
        train_rows: None,
        printed: [8.98, 8.60, 3.40, 3.72],
    },
    Plan {
        name: "letters",
        preparation: "as it is; 14000 rows to learn from",
        reduce: None,
        dimension: 16,
        train_rows: Some(14000),
        printed: [4.73, 4.75, 2.58, 2.93],
    },
    Plan {
        name: "segment",
        preparation: "standardized; 210 rows to learn from",
        reduce: None,
        dimension: 18,
        train_rows: Some(210),
        printed: [13.71, 13.71, 8.57, 8.57],
    },
    Plan {
        name: "balance",
        preparation: "as it is",
        reduce: None,
        dimension: 4,
        train_rows: None,
        printed: [18.82, 18.07, 8.98, 4.06],
    },
    Plan {
        name: "iris",
        preparation: "standardized",
        reduce: None,
        dimension: 4,
        train_rows: None,
        printed: [5.33, 5.33, 5.33, 2.22],
    },
];

/// The plan of a set.
pub fn plan(name: &str) -> Option<&'static Plan> {
    PLANS.iter().find(|plan| plan.name == name)
}

/// The name of a set, as the user writes it.
///
/// # Errors
/// A name that no set has, with the names that there are.
pub fn known_name(text: &str) -> Result<String, String> {
    match plan(text) {
        Some(plan) => Ok(plan.name.to_string()),
        None => {
            let known: Vec<&str> = PLANS.iter().map(|plan| plan.name).collect();
            Err(format!("no set of Table 1 has this name; choose among {}", known.join(", ")))
        }
    }
}
