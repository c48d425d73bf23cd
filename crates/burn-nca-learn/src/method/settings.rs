//! The settings of a method: what documents and `--set` say of each is written once.

/// Declares the settings of a method: the struct, by fields with their defaults, and `FIELDS`, what they are called and do.
macro_rules! settings {
    ($(#[$doc:meta])* $method:ident {
        $($(#[doc = $help:literal])+ $field:ident: $kind:ty = $default:tt,)+
    }) => {
        $(#[$doc])*
        #[derive(::burn::config::Config, Debug, PartialEq)]
        pub struct $method {
            $($(#[doc = $help])+ #[config(default = $default)] pub $field: $kind,)+
        }

        impl $method {
            const FIELDS: &'static [$crate::method::Setting] = &[$($crate::method::Setting {
                name: stringify!($field),
                help: concat!($($help),+).trim_ascii(),
            }),+];
        }
    };
}

pub(super) use settings;
