//! How the modules of this crate are shown.

/// Prints a module of few attributes on one line: `|module, content|` adds them.
#[doc(hidden)]
#[macro_export]
macro_rules! shown_on_one_line {
    ([$($generics:tt)*] $module:ty, |$this:pat_param, $content:ident| $attributes:expr) => {
        impl<$($generics)*> burn::module::ModuleDisplay for $module {
            fn custom_settings(&self) -> Option<burn::module::DisplaySettings> {
                burn::module::DisplaySettings::new().with_new_line_after_attribute(false).optional()
            }

            fn custom_content(
                &self,
                $content: burn::module::Content,
            ) -> Option<burn::module::Content> {
                let $this = self;
                $attributes.optional()
            }
        }
    };
    ($module:ty, $($rest:tt)+) => {
        $crate::shown_on_one_line!([] $module, $($rest)+);
    };
}
