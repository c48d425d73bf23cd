//! The list of methods, and one of them chosen at run time.

use std::fmt::Debug;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use super::{
    Euclidean, Gvsm, Lca, LcaClassifier, Lda, LdaRca, Learned, Lmnn, Method, Mlkr, Nca, Ncfs,
    NcfsRegression, PairNca, Pca, Problem, Rca, SoftNca, Uses, Vsm, Whitening,
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

/// The description of a method, with the values of its settings.
fn info<M: Method>(method: &M) -> MethodInfo {
    let values = settings(method);
    let setting = |setting: &super::Setting| SettingInfo {
        name: setting.name,
        help: setting.help,
        default: values.get(setting.name).cloned().unwrap_or(Value::Null),
        tried: M::GRID.iter().find(|(name, _)| *name == setting.name).map_or(&[], |one| one.1),
    };
    let searched = method.searched().iter().copied();
    MethodInfo {
        name: M::NAME,
        label: M::LABEL,
        title: M::TITLE,
        task: M::Data::TASK,
        when: M::WHEN_TO_USE,
        settings: M::SETTINGS.iter().map(setting).collect(),
        uses: M::USES,
        searched: searched.filter(|one| M::USES.contains(one)).collect(),
        own_rule: M::OWN_RULE,
    }
}

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
        typed!(self, method => info(method))
    }

    /// Whether it learns from such data.
    pub fn takes(&self, task: Task) -> bool {
        self.info().task.is_none_or(|own| own == task)
    }

    /// Its settings by their names.
    pub fn settings(&self) -> Map<String, Value> {
        typed!(self, method => settings(method))
    }

    /// The same method with a setting changed; `value` is JSON, or a word such as the name of a variant.
    ///
    /// # Errors
    /// A setting that it does not have (the message lists those it has), or a value that the setting cannot have.
    ///
    /// # Examples
    /// ```
    /// use burn_nca_learn::method::AnyMethod;
    ///
    /// let method = AnyMethod::named("nca")?.with_setting("criterion", "f")?;
    /// assert_eq!(method.settings()["criterion"], "F");
    /// # Ok::<(), burn_nca_learn::Error>(())
    /// ```
    pub fn with_setting(&self, name: &str, value: &str) -> Result<Self> {
        let (settings, label) = (self.settings(), self.info().label);
        if !settings.contains_key(name) {
            let names: Vec<&str> = settings.keys().map(String::as_str).collect();
            return Err(Error::setting(match names[..] {
                [] => {
                    format!("{label} has no settings, and {} was given; leave it out", quoted(name))
                }
                _ => format!(
                    "{label} has no setting {}{}; its settings are {}",
                    quoted(name),
                    did_you_mean(name, &names),
                    names.join(", ")
                ),
            }));
        }
        let mut refused = None;
        for reading in readings(value) {
            let mut settings = settings.clone();
            settings.insert(name.to_string(), reading);
            match typed!(self, method => with_settings(method, settings)) {
                Ok(method) => return Ok(method),
                Err(error) => refused = refused.or(Some(error)),
            }
        }
        let reason = refused.map_or(String::new(), |error| format!(": {error}"));
        Err(Error::setting(format!("{name} of {label} cannot be {}{reason}", quoted(value))))
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

    /// The settings that a search tries other values of, with these values: its own, then the others.
    pub fn grid(&self) -> Vec<(String, Vec<String>)> {
        let settings = self.settings();
        let values = |setting: &SettingInfo| {
            let own = settings.get(setting.name).map_or(String::new(), |value| match value {
                Value::String(word) => word.clone(),
                other => other.to_string(),
            });
            let is_other = |value: &&&str| {
                self.with_setting(setting.name, value).is_ok_and(|one| one != *self)
            };
            let others = setting.tried.iter().filter(is_other).map(|value| (*value).to_string());
            (setting.name.to_string(), std::iter::once(own).chain(others).collect())
        };
        let info = self.info();
        info.settings.iter().filter(|setting| !setting.tried.is_empty()).map(values).collect()
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

    /// As [`Method::check`].
    pub(crate) fn check(&self, problem: &Problem<'_, AnyData<'_>>) -> Result<()> {
        typed!(self, method => method.check(&problem.with_data(view(method, *problem.data)?)))
    }

    /// As [`Method::learn`].
    pub(crate) fn learn(
        &self,
        problem: &Problem<'_, AnyData<'_>>,
        session: FitSession<'_>,
    ) -> Result<Learned> {
        typed!(self, method => {
            method.learn(&problem.with_data(view(method, *problem.data)?), session)
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

    /// The method that `method` names, with the other entries as settings; what is not given has its default.
    fn of_map(mut given: Map<String, Value>) -> Result<Self> {
        let Some(Value::String(name)) = given.remove("method") else {
            return Err(Error::setting("no method is named"));
        };
        let method = Self::named(&name)?;
        let mut settings = method.settings();
        for (name, value) in given {
            if settings.insert(name.clone(), value).is_none() {
                return Err(Error::setting(format!(
                    "{} has no setting {}, which may be one of a newer version",
                    method.info().label,
                    quoted(&name)
                )));
            }
        }
        let refused = |error| Error::setting(format!("the settings of {name}: {error}"));
        typed!(&method, method => with_settings(method, settings)).map_err(refused)
    }
}

impl Serialize for AnyMethod {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = self.settings();
        map.insert("method".to_string(), self.info().name.into());
        map.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for AnyMethod {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::of_map(Map::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

/// The ways to read the value of a setting, likeliest first: JSON, a word, a word in capitals, and a number as that of
/// the variant which holds one.
fn readings(value: &str) -> Vec<Value> {
    let json: Option<Value> = serde_json::from_str(value).ok();
    let mut capitalized = value.to_string();
    if let Some(first) = capitalized.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    let number = json.clone().filter(Value::is_number);
    let of_number = number.into_iter().flat_map(|number| {
        [
            serde_json::json!({ "Given": number }),
            serde_json::json!({ "Fixed": { "amount": number } }),
        ]
    });
    json.into_iter().chain([value.into(), capitalized.into()]).chain(of_number).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_is_found_by_its_name_and_survives_json() {
        for method in AnyMethod::all() {
            let info = method.info();
            assert_eq!(AnyMethod::named(info.name).unwrap(), method);
            let text = serde_json::to_string(&method).unwrap();
            assert_eq!(serde_json::from_str::<AnyMethod>(&text).unwrap(), method, "{text}");
            assert!(!info.when.contains('\n') && !info.when.is_empty(), "{info:?}");
        }
    }

    #[test]
    fn every_setting_is_a_field_and_no_field_is_without_help() {
        // What a model's card has in addition to the settings of its method.
        let taken = ["d_input", "d_output", "encoder", "fit", "method"];
        for method in AnyMethod::all() {
            let (info, settings) = (method.info(), method.settings());
            let named: Vec<&str> = info.settings.iter().map(|setting| setting.name).collect();
            assert!(named.iter().all(|name| settings.contains_key(*name)), "{info:?}");
            assert!(settings.keys().all(|name| named.contains(&name.as_str())), "{info:?}");
            assert!(named.iter().all(|name| !taken.contains(name)), "{info:?}");
            // What a search tries begins with what the method has.
            let tried = |setting: &&SettingInfo| !setting.tried.is_empty();
            let tried: Vec<_> = info.settings.iter().filter(tried).collect();
            let grid = method.grid();
            assert_eq!(grid.len(), tried.len());
            for ((name, values), setting) in grid.iter().zip(tried) {
                assert_eq!((name.as_str(), values.len()), (setting.name, setting.tried.len()));
                for value in values {
                    let same = method.with_setting(name, value).unwrap() == method;
                    assert_eq!(same, *value == values[0], "{name}={value} of {}", info.name);
                }
            }
        }
    }

    #[test]
    fn names_are_told_apart_and_near_ones_are_suggested() {
        let mut names: Vec<&str> = AnyMethod::all().iter().map(|any| any.info().name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), AnyMethod::all().len());
        let error = AnyMethod::named("mlrk").unwrap_err().to_string();
        assert!(error.contains("did you mean \"mlkr\"?") && error.contains("nca, mlkr"), "{error}");
    }

    #[test]
    fn a_setting_is_read_as_json_as_a_word_and_as_a_number() {
        let set = |method: &str, name: &str, value: &str| {
            AnyMethod::named(method)?
                .with_setting(name, value)
                .map(|any| any.settings()[name].clone())
        };
        assert_eq!(set("nca", "criterion", "f").unwrap(), "F");
        assert_eq!(set("nca", "repulsion", "0.5").unwrap(), 0.5);
        assert_eq!(set("soft-nca", "width", "2.5").unwrap()["Given"], 2.5);
        assert_eq!(set("lda", "shrinkage", "0.5").unwrap()["Fixed"]["amount"], 0.5);
        assert_eq!(set("lda", "shrinkage", "LedoitWolf").unwrap(), "LedoitWolf");
        let error = set("nca", "repulsoin", "1").unwrap_err().to_string();
        assert!(error.contains("did you mean \"repulsion\"?"), "{error}");
        let error = set("nca", "criterion", "h").unwrap_err().to_string();
        assert!(
            error.contains("criterion of NCA cannot be \"h\"") && error.contains('F'),
            "{error}"
        );
        let error = set("pca", "criterion", "f").unwrap_err().to_string();
        assert!(error.contains("PCA has no settings"), "{error}");
    }
}
