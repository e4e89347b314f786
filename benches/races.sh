#!/usr/bin/env bash
# Data races, by ThreadSanitizer: the tests of the shared store, and those of searches with several threads. It fails where one
# is reported. Needs a nightly toolchain, a C compiler and nm. Where miri is installed, some tests of the store run there, too, with
# few states.
#   benches/races.sh
#
# The standard library of a toolchain is not instrumented, so ThreadSanitizer does not see what threads tell each other inside of it.
# What is generic or inlined is compiled here and seen: the fast ways of locks, cells that are set once, the wait of a scope. What is
# not seen is told by a few lines of C around those functions (--wrap of the linker), so that everything that locks protect is
# checked, too. Three things cannot be told like this; `races.supp` says which, and why.
set -euo pipefail
cd "$(dirname "$0")/.."

target=x86_64-unknown-linux-gnu
folder="${CARGO_TARGET_DIR:-$PWD/target}/races"
mkdir -p "$folder"

# The names that these functions have in this toolchain: those of a program that uses them.
cat >"$folder/names.rs" <<'RUST'
use std::sync::{Condvar, Mutex, OnceLock, RwLock};
use std::time::Duration;
fn main() {
    let (mutex, shared, bell, once) = (Mutex::new(0), RwLock::new(0), Condvar::new(), OnceLock::new());
    std::thread::scope(|scope| {
        scope.spawn(|| *shared.write().unwrap() += *shared.read().unwrap() + once.get_or_init(|| *mutex.lock().unwrap()));
    });
    let guard = bell.wait_timeout(mutex.lock().unwrap(), Duration::ZERO).unwrap().0;
    drop(bell.wait_while(guard, |number| *number > 0));
}
RUST
rustc +nightly --target "$target" -Cdebuginfo=0 -o "$folder/names" "$folder/names.rs"
name_of() {
	local found
	found=$(nm "$folder/names" | awk '{print $3}' | grep -E "^_R.*$1\$" | sort -u || true)
	[ "$(wc -w <<<"$found")" = 1 ] || { echo "the standard library has no single $1: $found" >&2; exit 2; }
	echo "$found"
}

# Their wrappers: whoever has got a lock has seen what was done before it was given back, and so on.
{
	echo '#include <stdint.h>'
	echo 'void __tsan_acquire(void *); void __tsan_release(void *);'
	for name in 14lock_contended 14read_contended 15write_contended; do
		name=$(name_of "4sync.*5futex.*$name")
		echo "void __real_$name(void *lock);"
		echo "void __wrap_$name(void *lock) { __real_$name(lock); __tsan_acquire(lock); }"
	done
	for name in 4wait 12wait_timeout; do
		name=$(name_of "3sys4sync7condvar5futex.*7Condvar$name")
		echo "uintptr_t __real_$name(void *bell, void *lock, uintptr_t seconds, uintptr_t nanos);"
		echo "uintptr_t __wrap_$name(void *bell, void *lock, uintptr_t seconds, uintptr_t nanos) {"
		echo "  __tsan_release(lock); uintptr_t late = __real_$name(bell, lock, seconds, nanos);"
		echo '  __tsan_acquire(lock); return late; }'
	done
	# What is done while a cell is set is not told, but what was done before.
	name=$(name_of '3sys4sync4once5futex.*4Once4call')
	echo "void __real_$name(void *once, uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d);"
	echo "void __wrap_$name(void *once, uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d) {"
	echo "  __tsan_release(once); __real_$name(once, a, b, c, d); __tsan_acquire(once); }"
	# One of three words counts the threads of a scope.
	name=$(name_of '9ScopeData29decrement_num_running_threads')
	echo "void __real_$name(uintptr_t *scope, uintptr_t panics);"
	echo "void __wrap_$name(uintptr_t *scope, uintptr_t panics) {"
	echo "  for (int word = 0; word < 3; word++) __tsan_release(scope + word); __real_$name(scope, panics); }"
} >"$folder/told.c"
cc -O1 -c -o "$folder/told.o" "$folder/told.c"
{
	grep -oE '__wrap_[A-Za-z0-9_]+' "$folder/told.c" | sort -u | sed 's/^__wrap_/-Wl,--wrap=/'
	echo "$folder/told.o"
} >"$folder/told.args"

# Build scripts are not instrumented, since a target is named.
export CARGO_TARGET_DIR="$folder"
export RUSTFLAGS="-Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer -Clink-arg=@$folder/told.args"
export TSAN_OPTIONS="suppressions=$PWD/benches/races.supp halt_on_error=0 exitcode=66 history_size=7 ${TSAN_OPTIONS:-}"
check() {
	cargo +nightly test --quiet --target "$target" -p evenhand-explicit "$@"
}
check --lib -- --test-threads=1 store::shared_tests:: ahead::
check --test all -- --test-threads=1 ahead:: one_pass:: probe::
echo "no races"

if cargo +nightly miri --version >/dev/null 2>&1 && [ -d "$(rustc +nightly --print sysroot)/lib/rustlib/src" ]; then
	# Its emulation of weak memory ends with an error of its own where words are written both as atomics and as bytes.
	RUSTFLAGS='' MIRIFLAGS=-Zmiri-disable-weak-memory-emulation cargo +nightly miri test --quiet -p evenhand-explicit --lib \
		--target-dir "$folder/miri" -- ahead::batch:: ahead::chunk:: store::shared_tests::trees store::shared_tests::numbers \
		store::shared_tests::threads_that
else
	echo "miri is not there, or has no source of the standard library: not run"
fi
