//! The list of methods, and one of them chosen at run time.

mod settings;

use serde::Serialize;
use serde_json::{Map, Value};

use super::{
    Euclidean, Gvsm, Lca, LcaClassifier, Lda, LdaRca, Learned, Lmnn, Method, Mlkr, Nca, Ncfs,
    NcfsRegression, PairNca, Pca, Problem, Rca, Setting, SoftNca, Uses, Vsm, Whitening,
};
#[cfg(not(target_arch = "wasm32"))]
use super::{Modern, ModernRegression};
use crate::data::{AnyData, Task, TrainingData};
use crate::encoder::{AnyEncoder, EncoderConfig, HiddenLayers};
use crate::error::{Error, Result, quoted};
use crate::fit::FitSession;

/// Declares [`AnyMethod`]: a variant per method, in the order in which they are listed.
///
/// The default of each method is that of all its settings.
macro_rules! methods {
    ($($(#[$where:meta])* $method:ident),+ $(,)?) => {
        /// A method chosen at run time; in JSON an object of its settings with its name as `method`.
        #[derive(Clone, Debug, PartialEq)]
        #[allow(missing_docs)] // The methods say what they are.
        pub enum AnyMethod {
            $($(#[$where])* $method($method)),+
        }

        $($(#[$where])* impl From<$method> for AnyMethod {
            fn from(method: $method) -> Self {
                Self::$method(method)
            }
        }

        $(#[$where])* impl Default for $method {
            fn default() -> Self {
                Self::new()
            }
        })+

        impl AnyMethod {
            /// All methods, each with the settings to start from in practice.
            pub fn all() -> Vec<Self> {
                let mut all = Vec::new();
                $($(#[$where])* all.extend([Self::$method($method::recommended())]);)+
                all
            }
        }

        /// An expression of the method, whatever its type.
        macro_rules! typed {
            ($any:expr, $typed:ident => $of:expr) => {
                match $any {
                    $($(#[$where])* AnyMethod::$method($typed) => $of),+
                }
            };
        }
    };
}

methods! {
    Nca,
    Mlkr,
    // In a browser, on one thread, these would take an hour and a part of the page.
    #[cfg(not(target_arch = "wasm32"))] Modern,
    #[cfg(not(target_arch = "wasm32"))] ModernRegression,
    SoftNca,
    PairNca,
    Lca,
    LcaClassifier,
    Lmnn,
    Vsm,
    Gvsm,
    Ncfs,
    NcfsRegression,
    Lda,
    Rca,
    LdaRca,
    Pca,
    Whitening,
    Euclidean,
}

/// The settings of a method by their names.
fn settings<M: Method>(method: &M) -> Map<String, Value> {
    match serde_json::to_value(method) {
        Ok(Value::Object(settings)) => settings,
        _ => Map::new(),
    }
}

/// A method of the type of this one.
fn with_settings<M: Method>(_: &M, settings: Map<String, Value>) -> serde_json::Result<AnyMethod> {
    serde_json::from_value::<M>(Value::Object(settings)).map(Into::into)
}

/// The data as the method takes them.
fn view<'a, M: Method>(_: &M, data: AnyData<'a>) -> Result<&'a M::Data> {
    M::Data::of(data).ok_or_else(|| {
        let (learns, found) = (M::Data::TASK, data.task());
        let name =
            |task: Option<Task>| task.map_or("rows alone".to_string(), |task| task.to_string());
        Error::setting(format!(
            "{} learns from {}, and these data are {}; choose another method, or give other data",
            M::LABEL,
            name(learns),
            name(found)
        ))
    })
}

/// A description of a method.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MethodInfo {
    /// What it is called in commands.
    pub name: &'static str,
    /// What it is called in tables.
    pub label: &'static str,
    /// Its name in full.
    pub title: &'static str,
    /// What it learns from; `None` for any data.
    pub task: Option<Task>,
    /// When to take it.
    pub when: &'static str,
    /// Its settings.
    pub settings: Vec<SettingInfo>,
    /// What of the settings that all methods share it uses.
    pub uses: &'static [Uses],
    /// Those of them that a search tries other values of.
    pub searched: Vec<Uses>,
    /// Whether it predicts by a rule that it learns, in the place of the k nearest neighbors.
    pub own_rule: bool,
}

impl MethodInfo {
    /// The description of a method, with the values of its settings.
    fn of<M: Method>(method: &M) -> Self {
        let values = settings(method);
        let setting = |setting: &Setting| SettingInfo {
            name: setting.name,
            help: setting.help,
            default: values.get(setting.name).cloned().unwrap_or(Value::Null),
            tried: M::GRID.iter().find(|(name, _)| *name == setting.name).map_or(&[], |one| one.1),
        };
        let searched = method.searched().iter().copied();
        Self {
            name: M::NAME,
            label: M::LABEL,
            title: M::TITLE,
            task: M::Data::TASK,
            when: M::WHEN_TO_USE,
            settings: M::FIELDS.iter().map(setting).collect(),
            uses: M::USES,
            searched: searched.filter(|one| M::USES.contains(one)).collect(),
            own_rule: M::OWN_RULE,
        }
    }

    /// Whether a search has other settings to try.
    pub fn is_searched(&self) -> bool {
        !self.searched.is_empty() || self.settings.iter().any(|setting| !setting.tried.is_empty())
    }
}

/// A description of a setting.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SettingInfo {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub help: &'static str,
    /// Its value.
    pub default: Value,
    /// The values that a search tries; none where it leaves the setting as it is.
    pub tried: &'static [&'static str],
}

impl AnyMethod {
    /// The method of this name, with the settings to start from in practice.
    ///
    /// # Errors
    /// An unknown name; the message lists those there are.
    pub fn named(name: &str) -> Result<Self> {
        let all = Self::all();
        let names: Vec<&str> = all.iter().map(|method| method.info().name).collect();
        match names.iter().position(|known| *known == name) {
            Some(at) => Ok(all[at].clone()),
            None => Err(Error::setting(format!(
                "there is no method {}{}; the methods are {}",
                quoted(name),
                did_you_mean(name, &names),
                names.join(", ")
            ))),
        }
    }

    /// Its description; the defaults of its settings are their values here.
    pub fn info(&self) -> MethodInfo {
        typed!(self, method => MethodInfo::of(method))
    }

    /// Whether it learns from such data.
    pub fn takes(&self, task: Task) -> bool {
        self.info().task.is_none_or(|own| own == task)
    }

    /// Its settings by their names.
    pub fn settings(&self) -> Map<String, Value> {
        typed!(self, method => settings(method))
    }

    /// The same method with these settings in the place of its own.
    fn with_settings(&self, settings: Map<String, Value>) -> serde_json::Result<Self> {
        typed!(self, method => with_settings(method, settings))
    }

    /// The weight of the L2 penalty to start from in practice.
    pub fn recommended_l2(&self, encoder: &EncoderConfig) -> f64 {
        typed!(self, method => method.recommended_l2(encoder))
    }

    /// The hidden layers of a network where the user names none: by mini-batches of NCA or MLKR
    /// [`HiddenLayers::regularized`], else 64 plain units.
    pub fn hidden_layers(&self, by_batches: bool) -> HiddenLayers {
        match self {
            Self::Nca(_) | Self::Mlkr(_) if by_batches => HiddenLayers::regularized(),
            _ => vec![64].into(),
        }
    }

    /// The weights of the L2 penalty that a search tries, of so many rows, the likelier first.
    pub(crate) fn penalties(&self, encoder: &EncoderConfig, rows: usize) -> Vec<f64> {
        typed!(self, method => method.penalties(encoder, rows))
    }

    /// Number of dimensions where the user names none, if the method says so.
    pub fn default_dimension(&self, data: AnyData<'_>) -> Option<usize> {
        typed!(self, method => method.default_dimension(view(method, data).ok()?))
    }

    /// Checks that there is enough to learn from, before anything is computed.
    pub(crate) fn check_data(&self, data: AnyData<'_>) -> Result<()> {
        typed!(self, method => view(method, data)?.check())
    }

    /// [`Method::check`], then [`Method::learn`].
    pub(crate) fn learn(
        &self,
        problem: &Problem<'_, AnyData<'_>>,
        session: FitSession<'_>,
    ) -> Result<Learned> {
        typed!(self, method => {
            let problem = problem.with_data(view(method, *problem.data)?);
            method.check(&problem)?;
            method.learn(&problem, session)
        })
    }

    /// As [`Method::encoder_at`].
    pub(crate) fn encoder_at(
        &self,
        encoder: &AnyEncoder,
        parameters: &[f64],
    ) -> Option<AnyEncoder> {
        typed!(self, method => method.encoder_at(encoder, parameters))
    }
}

/// `; did you mean "lmnn"?` where a name is near.
fn did_you_mean(wanted: &str, names: &[&str]) -> String {
    let wanted = wanted.to_lowercase();
    let near = names
        .iter()
        .map(|name| (strsim::osa_distance(&wanted, &name.to_lowercase()), name))
        .filter(|(distance, _)| *distance <= wanted.chars().count() / 3)
        .min_by_key(|(distance, _)| *distance);
    near.map_or(String::new(), |(_, name)| format!(" (did you mean {name:?}?)"))
}
