//! The same work on many items, by a few threads, each with a directory of its own.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Applies `work` to each item and returns the results in the order of the items. Each call gets
/// a directory that no other call uses at the same time.
pub fn map<T: Sync, R: Send>(
    name: &str,
    threads: usize,
    items: &[T],
    work: impl Fn(&T, &Path) -> R + Sync,
) -> std::io::Result<Vec<R>> {
    let root = std::env::temp_dir().join(format!("evenhand-{name}-{}", std::process::id()));
    let directories: Vec<_> = (0..threads.max(1))
        .map(|thread| root.join(thread.to_string()))
        .collect();
    for directory in &directories {
        std::fs::create_dir_all(directory)?;
    }
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for directory in &directories {
            let (next, results, work) = (&next, &results, &work);
            scope.spawn(move || {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(index) else { return };
                    let result = work(item, directory);
                    results
                        .lock()
                        .unwrap_or_else(|poisoned| poisoned.into_inner())
                        .push((index, result));
                }
            });
        }
    });
    std::fs::remove_dir_all(&root)?;
    let mut results = results
        .into_inner()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    results.sort_by_key(|(index, _)| *index);
    Ok(results.into_iter().map(|(_, result)| result).collect())
}

#[cfg(test)]
mod tests {
    #[test]
    fn results_come_in_order() {
        let items: Vec<usize> = (0..100).collect();
        let squares = super::map("parallel-test", 3, &items, |n, directory| {
            assert!(directory.is_dir());
            n * n
        });
        let expected: Vec<usize> = items.iter().map(|n| n * n).collect();
        assert_eq!(squares.ok(), Some(expected));
    }
}
