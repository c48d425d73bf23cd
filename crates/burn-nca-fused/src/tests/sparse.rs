//! Products of sparse rows, entry by entry.

use super::points;
use crate::sparse::product;

#[test]
fn products_of_one_task_and_of_several_with_empty_rows_and_columns() {
    for (n, d, k) in [(0, 3, 2), (1, 1, 1), (63, 5, 1), (64, 7, 3), (65, 7, 2), (300, 40, 5)] {
        let right = points(d * k, 1);
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        let mut expected = vec![0.0; n * k];
        for (row, chance) in points(n, 2).into_iter().enumerate() {
            // Every third column is empty, and about every third row.
            for (column, x) in points(d, row as u64 + 3).into_iter().enumerate() {
                if chance > -0.4 && x > 0.2 && column % 3 != 1 {
                    columns.push(column as u32);
                    values.push(x);
                    for axis in 0..k {
                        expected[row * k + axis] += x * right[column * k + axis];
                    }
                }
            }
            starts.push(values.len());
        }
        assert_eq!(product((&starts, &columns, &values), &right, k), expected, "{n} x {d} to {k}");
    }
}
