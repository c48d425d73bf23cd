//! The vector instructions that kernels run on.

use pulp::{Arch, WithSimd};
#[cfg(all(debug_assertions, target_arch = "x86_64"))]
use pulp::{Scalar, Simd, x86::V3};

/// The widest vector instructions of this machine; in this crate's tests, those of [`on`]. To be asked for before work
/// is divided among threads.
#[inline]
pub(crate) fn arch() -> Arch {
    #[cfg(test)]
    if let Some(chosen) = tests::CHOSEN.get() {
        return chosen;
    }
    widest()
}

/// The widest that work is compiled for: with debug assertions not that of x86, AVX-512, for a quarter less to compile.
fn widest() -> Arch {
    #[cfg(all(debug_assertions, target_arch = "x86_64"))]
    return V3::try_new().map_or(Arch::Scalar, Arch::V3);
    #[cfg(not(all(debug_assertions, target_arch = "x86_64")))]
    Arch::new()
}

#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn dispatch<W: WithSimd>(arch: Arch, work: W) -> W::Output {
    #[cfg(all(debug_assertions, target_arch = "x86_64"))]
    return match arch {
        Arch::V3(simd) => Simd::vectorize(simd, work),
        _ => Simd::vectorize(Scalar, work),
    };
    #[cfg(not(all(debug_assertions, target_arch = "x86_64")))]
    arch.dispatch(work)
}

#[cfg(test)]
pub(crate) use tests::{all, on, on_each};

#[cfg(test)]
mod tests {
    use core::cell::Cell;

    use super::{Arch, widest};

    thread_local! {
        /// What this thread asks for instead of the widest.
        pub(super) static CHOSEN: Cell<Option<Arch>> = const { Cell::new(None) };
    }

    /// All vector instructions that this machine and this build have, and none.
    pub(crate) fn all() -> Vec<Arch> {
        let mut all = vec![Arch::Scalar];
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        all.extend(pulp::x86::V3::try_new().map(Arch::V3));
        let is_widest = |arch: &Arch| format!("{arch:?}") == format!("{:?}", widest());
        if !all.iter().any(is_widest) {
            all.push(widest());
        }
        all
    }

    /// What `work` gives where kernels called from this thread run on `arch`.
    pub(crate) fn on<R>(arch: Arch, work: impl FnOnce() -> R) -> R {
        let before = CHOSEN.replace(Some(arch));
        let found = work();
        CHOSEN.set(before);
        found
    }

    /// Runs a check on [`all`]; the output of a failed test ends with the one that it failed on.
    #[expect(clippy::print_stdout, reason = "shown for a failed test only")]
    pub(crate) fn on_each(check: impl Fn()) {
        for arch in all() {
            println!("{arch:?}");
            on(arch, &check);
        }
    }
}
