//! The settings of a method: what documents and `--set` say of each is written once.

use super::Setting;

/// Settings with what they are called and do.
pub trait Settings {
    /// Each of them.
    const FIELDS: &'static [Setting];
}

/// Declares the settings of a method: the struct, by fields with their defaults, and [`Settings`], the first line of what is
/// said of each.
macro_rules! settings {
    ($(#[$doc:meta])* $method:ident {
        $(#[doc = $help:literal] $(#[doc = $more:literal])* $field:ident: $kind:ty = $default:tt,)*
    }) => {
        $(#[$doc])*
        #[derive(::burn::config::Config, Debug, PartialEq)]
        pub struct $method {
            $(#[doc = $help] $(#[doc = $more])* #[config(default = $default)] pub $field: $kind,)*
        }

        impl $crate::method::settings::Settings for $method {
            const FIELDS: &'static [$crate::method::Setting] = &[$($crate::method::Setting {
                name: stringify!($field),
                help: $help.trim_ascii(),
            }),*];
        }
    };
}

pub(super) use settings;
