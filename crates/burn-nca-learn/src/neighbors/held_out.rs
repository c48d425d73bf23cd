//! Rows of the training table by the others, as rows that were not learned from as far as a rule allows it.

use std::collections::BTreeMap;

use burn::tensor::Tensor;

use super::MemberRule;
use super::in_parts::by_parts;
use super::rule::Rule;
use crate::error::Result;

/// What `of` finds of some of a rule's references by the others, `width` numbers for each; of several members by the one
/// that did not learn from the row, where there is one. `of` is given a rule, the queries, the embedding and their rows.
pub(crate) fn held_out(
    rule: &Rule,
    embedding: &Tensor<2>,
    rows: &[usize],
    width: usize,
    of: impl Fn(&Rule, [&Tensor<2>; 2], &[usize]) -> Result<Vec<f64>>,
) -> Result<Vec<f64>> {
    let by = |rule: &Rule, embedding: &Tensor<2>, rows: &[usize]| {
        by_parts(embedding, rows, width, |queries, rows| of(rule, [queries, embedding], rows))
    };
    let Rule::Members(MemberRule { members, held_out }) = rule else {
        return by(rule, embedding, rows);
    };
    // The places of the rows by the member that is to tell of them, `None` where all together are.
    let mut judged: BTreeMap<Option<usize>, Vec<usize>> = BTreeMap::new();
    for (place, &row) in rows.iter().enumerate() {
        judged.entry(held_out.get(row).copied().flatten()).or_default().push(place);
    }
    let mut found = vec![0.0; rows.len() * width];
    for (member, places) in judged {
        let of_judge: Vec<usize> = places.iter().map(|&place| rows[place]).collect();
        let values = match member {
            None => by(rule, embedding, &of_judge)?,
            Some(member) => {
                let [n, k] = embedding.dims();
                let size = k / members;
                let part = embedding.clone().slice([0..n, member * size..(member + 1) * size]);
                by(&Rule::Members(MemberRule::new(1)), &part, &of_judge)?
            }
        };
        for (place, values) in places.into_iter().zip(values.chunks_exact(width)) {
            found[place * width..][..width].copy_from_slice(values);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;

    use super::*;

    #[test]
    fn the_member_that_did_not_learn_from_a_row_tells_its_probability() {
        let rule = MemberRule { members: 2, held_out: vec![Some(1), Some(0), None] };
        assert!(rule.check_held_out(3).is_ok());
        assert!(rule.check_held_out(4).unwrap_err().contains("3 rows, not of 4"));
        let one = MemberRule { members: 1, held_out: vec![Some(1)] };
        assert!(one.check_held_out(1).unwrap_err().contains("member 1 of 1"));
        let embedding =
            Tensor::<2>::from_floats([[0.0, 10.0], [1.0, 11.0], [2.0, 12.0]], &Device::flex());
        let rule = Rule::Members(rule);
        // The first coordinate and the number of members.
        let first = held_out(&rule, &embedding, &[2, 1, 0], 1, |rule, [queries, _], rows| {
            let Rule::Members(MemberRule { members, .. }) = rule else { unreachable!() };
            let first = queries.clone().slice([0..rows.len(), 0..1]).into_data();
            Ok(first.iter::<f64>().map(|z| z + 100.0 * *members as f64).collect())
        });
        assert_eq!(first.unwrap(), [202.0, 101.0, 110.0]);
    }
}
