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

/// Insertions, deletions, substitutions and swaps of neighbours, whatever the case of letters.
fn distance(a: &str, b: &str) -> usize {
    let lowered = |text: &str| -> String { text.chars().flat_map(char::to_lowercase).collect() };
    strsim::osa_distance(&lowered(a), &lowered(b))
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
