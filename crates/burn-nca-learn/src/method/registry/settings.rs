//! The settings of a method by their names: as words of a command, and in JSON.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use super::{AnyMethod, SettingInfo, did_you_mean};
use crate::error::{Error, Result, quoted};

impl AnyMethod {
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
            match self.with_settings(settings) {
                Ok(method) => return Ok(method),
                Err(error) => refused = refused.or(Some(error)),
            }
        }
        let reason = refused.map_or(String::new(), |error| format!(": {error}"));
        Err(Error::setting(format!("{name} of {label} cannot be {}{reason}", quoted(value))))
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
        method.with_settings(settings).map_err(refused)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::baseline::fixture::assert_refused;

    #[test]
    fn what_a_search_tries_begins_with_what_the_method_has() {
        // What a model's card has in addition to the settings of its method.
        let taken = ["d_input", "d_output", "encoder", "fit", "method"];
        for method in AnyMethod::all() {
            let (settings, grid) = (method.info().settings, method.grid());
            assert!(settings.iter().all(|setting| !taken.contains(&setting.name)), "{settings:?}");
            let tried: Vec<_> = settings.iter().filter(|one| !one.tried.is_empty()).collect();
            assert_eq!(grid.len(), tried.len());
            for ((name, values), setting) in grid.iter().zip(tried) {
                assert_eq!((name.as_str(), values.len()), (setting.name, setting.tried.len()));
                for value in values {
                    let same = method.with_setting(name, value).unwrap() == method;
                    assert_eq!(same, *value == values[0], "{name}={value} of {method:?}");
                }
            }
        }
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
        assert_refused(set("nca", "repulsoin", "1"), &["did you mean \"repulsion\"?"]);
        assert_refused(AnyMethod::named("mlrk"), &["did you mean \"mlkr\"?", "nca, mlkr"]);
        let refused = ["criterion of NCA cannot be \"h\"", "F"];
        assert_refused(set("nca", "criterion", "h"), &refused);
        assert_refused(set("pca", "criterion", "f"), &["PCA has no settings"]);
    }
}
