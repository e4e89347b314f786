//! "Did you mean …?"

/// The candidate nearest to `word` by edit distance, if it is near enough to be a likely slip.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = 1 + word.chars().count() / 4;
    nearest_within(word, candidates, limit).map(|(_, candidate)| candidate)
}

/// The candidate nearest to `word` and its edit distance, if that is at most `limit`.
pub fn nearest_within<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    limit: usize,
) -> Option<(usize, &'a str)> {
    let length = word.chars().count();
    candidates
        .into_iter()
        .filter(|candidate| candidate.chars().count().abs_diff(length) <= limit)
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|&(d, candidate)| d <= limit && d < candidate.chars().count())
        .min()
}

/// Optimal string alignment: insertions, deletions, substitutions and swaps of neighbours.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().flat_map(char::to_lowercase).collect();
    let b: Vec<char> = b.chars().flat_map(char::to_lowercase).collect();
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for (i, row) in rows.iter_mut().enumerate() {
        row[0] = i;
    }
    for (j, cell) in rows[0].iter_mut().enumerate() {
        *cell = j;
    }
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            let substitution = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = substitution.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = best;
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn finds_slips_and_nothing_else() {
        let names = ["forks", "phil", "turn"];
        assert_eq!(nearest("froks", names), Some("forks"));
        assert_eq!(nearest("Phil", names), Some("phil"));
        assert_eq!(nearest("semaphore", names), None);
        assert_eq!(nearest("x", ["y"]), None);
    }
}
