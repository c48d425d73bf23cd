//! Modern NCA as operations: members of periodic embeddings and residual blocks, and the mean of their kernels.

use burn::nn::{BatchNorm, Linear};
use burn::tensor::Tensor;
use burn_nca_learn::Fitted;
use burn_nca_learn::encoder::{ModernEncoder, ModernMember, NumericEmbedding, ResidualBlock};

use crate::graph::{DataType, Graph};
use crate::rule_parts::{Centered, host, log_weights, sum_of_last};

/// Where a member's operations go: its graph, number type and the prefix of its names.
struct Place<'a> {
    graph: &'a mut Graph,
    data_type: DataType,
    prefix: String,
}

impl Place<'_> {
    fn name(&self, name: &str) -> String {
        format!("{}_{name}", self.prefix)
    }

    fn apply(&mut self, operator: &str, inputs: &[&str], name: &str) -> String {
        let name = self.name(name);
        self.graph.apply(operator, inputs, &name)
    }

    fn constant(&mut self, name: &str, values: &[f64], dims: &[usize]) -> String {
        let name = self.name(name);
        self.graph.constant(&name, self.data_type, values, dims)
    }

    fn reshape(&mut self, input: &str, shape: &[i64], name: &str) -> String {
        let shape_name = self.name(&format!("{name}_shape"));
        let shape = self.graph.whole_numbers(&shape_name, shape);
        self.apply("Reshape", &[input, &shape], name)
    }

    fn linear(&mut self, layer: &Linear, input: &str, name: &str) -> String {
        let [d_input, d_output] = layer.weight.dims();
        let weight = host(layer.weight.val());
        let weight = self.constant(&format!("{name}_weight"), &weight, &[d_input, d_output]);
        let product = self.apply("MatMul", &[input, &weight], &format!("{name}_product"));
        let Some(bias) = &layer.bias else { return product };
        let bias = host(bias.val().unsqueeze());
        let bias = self.constant(&format!("{name}_bias"), &bias, &[d_output]);
        self.apply("Add", &[&product, &bias], name)
    }

    /// Batch normalization by its running statistics: `z s + (β - mean s)`, `s = γ / sqrt(variance + ε)`.
    fn norm(&mut self, norm: &BatchNorm, input: &str, name: &str) -> String {
        let variance = norm.running_var.value();
        let scale = norm.gamma.val() / variance.add_scalar(norm.epsilon).sqrt();
        let shift = norm.beta.val() - norm.running_mean.value() * scale.clone();
        let [size] = scale.dims();
        let read = |tensor: Tensor<1>| host(tensor.unsqueeze());
        let scale = self.constant(&format!("{name}_scale"), &read(scale), &[size]);
        let shift = self.constant(&format!("{name}_shift"), &read(shift), &[size]);
        let scaled = self.apply("Mul", &[input, &scale], &format!("{name}_scaled"));
        self.apply("Add", &[&scaled, &shift], name)
    }

    fn embedding(&mut self, embedding: &NumericEmbedding, input: &str) -> String {
        let [d, m] = embedding.frequencies.dims();
        let [_, size] = embedding.linear.weight.dims();
        let each = self.reshape(input, &[-1, d as i64, 1], "each");
        let turn = host(embedding.frequencies.val());
        let turn: Vec<f64> = turn.into_iter().map(|f| core::f64::consts::TAU * f).collect();
        let turn = self.constant("frequencies", &turn, &[1, d, m]);
        let angles = self.apply("Mul", &[&each, &turn], "angles");
        let (cos, sin) =
            (self.apply("Cos", &[&angles], "cos"), self.apply("Sin", &[&angles], "sin"));
        let waves = self.name("waves");
        let waves = self.graph.node("Concat", &[&cos, &sin], &waves, &[("axis", 2)]);
        let linear = self.linear(&embedding.linear, &waves, "embedding");
        let active = self.apply("Relu", &[&linear], "embedding_active");
        self.reshape(&active, &[-1, (d * size) as i64], "embedded")
    }

    fn block(&mut self, block: &ResidualBlock, input: &str, number: usize) -> String {
        let name = |part: &str| format!("block_{number}_{part}");
        let normal = self.norm(&block.norm, input, &name("norm"));
        let inner = self.linear(&block.inner, &normal, &name("inner"));
        let active = self.apply("Relu", &[&inner], &name("active"));
        let outer = self.linear(&block.outer, &active, &name("outer"));
        self.apply("Add", &[input, &outer], &format!("block_{number}"))
    }

    fn member(&mut self, member: &ModernMember, input: &str) -> String {
        let x = match &member.embedding {
            Some(embedding) => self.embedding(embedding, input),
            None => input.to_string(),
        };
        let mut z = self.linear(&member.linear, &x, "input");
        for (index, block) in member.blocks.iter().enumerate() {
            z = self.block(block, &z, index + 1);
        }
        match &member.norm {
            Some(norm) => self.norm(norm, &z, "norm"),
            None => z,
        }
    }
}

/// Adds the members, side by side, as `output`.
pub fn embedded(
    graph: &mut Graph,
    encoder: &ModernEncoder,
    input: &str,
    (data_type, output): (DataType, &str),
) -> String {
    let projected = encoder.projection.as_ref().map(|layer| {
        let prefix = "all_members".to_string();
        Place { graph, data_type, prefix }.linear(layer, input, "projection")
    });
    let input = projected.as_deref().unwrap_or(input);
    let members: Vec<String> = encoder
        .members()
        .iter()
        .enumerate()
        .map(|(index, member)| {
            let prefix = format!("member_{}", index + 1);
            Place { graph, data_type, prefix }.member(member, input)
        })
        .collect();
    let members: Vec<&str> = members.iter().map(String::as_str).collect();
    graph.node("Concat", &members, output, &[("axis", 1)])
}

/// The weights `p_ij` of all training rows by the mean of the members' kernels, `[n, m]`.
///
/// ```text
/// ||z - r||² = ||z - c||² + ||r - c||² - 2 (z - c)·(r - c)      c: the mean of the training rows
/// ```
pub fn weights(
    graph: &mut Graph,
    (fitted, members): (&Fitted, usize),
    weights: Option<&[f64]>,
    z: &str,
) -> String {
    let [m, all] = fitted.references().dims();
    let k = all / members;
    let log_weights = weights.map(|weights| log_weights(graph, weights));
    let parts: Vec<String> = (0..members)
        .map(|member| {
            let axes = member * k..(member + 1) * k;
            let references = host(fitted.references().clone().slice([0..m, axes.clone()]));
            let mut place = Place {
                graph,
                data_type: DataType::Double,
                prefix: format!("kernel_{}", member + 1),
            };
            let bounds = [("from", axes.start), ("to", axes.end), ("axis", 1)];
            let bounds = bounds.map(|(name, value)| {
                let name = place.name(name);
                place.graph.whole_numbers(&name, &[value as i64])
            });
            let [from, to, axis] = &bounds;
            let own = place.apply("Slice", &[z, from, to, axis], "own");
            let Centered { center, twice, squares } = Centered::of(&references, [m, k]);
            let center = place.constant("center", &center, &[k]);
            let twice = place.constant("twice_references", &twice, &[k, m]);
            let squares = place.constant("squares", &squares, &[1, m]);
            let own = place.apply("Sub", &[&own, &center], "from_center");
            let product = place.apply("MatMul", &[&own, &twice], "twice_product");
            let own = place.apply("Mul", &[&own, &own], "own_squared");
            let (sums, last) = (place.name("own_squares"), place.name("last_axis"));
            let own = sum_of_last(place.graph, &own, &sums);
            let last = place.graph.whole_numbers(&last, &[-1]);
            let own = place.apply("Unsqueeze", &[&own, &last], "own_squares_column");
            let sum = place.apply("Add", &[&own, &squares], "sum_of_squares");
            let apart = place.apply("Sub", &[&sum, &product], "squared_distances");
            let apart = place.apply("Relu", &[&apart], "squared_distances_from_0");
            let distances = place.apply("Sqrt", &[&apart], "distances");
            let mut logits = place.apply("Neg", &[&distances], "logits");
            if let Some(logs) = &log_weights {
                logits = place.apply("Add", &[&logits, logs], "weighted_logits");
            }
            let name = place.name("p");
            place.graph.node("Softmax", &[&logits], &name, &[("axis", -1)])
        })
        .collect();
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    // Runtimes have no mean of doubles.
    let sum = graph.apply("Sum", &parts, "sum_of_p");
    let count = graph.constant("number_of_members", DataType::Double, &[parts.len() as f64], &[1]);
    graph.apply("Div", &[&sum, &count], "p")
}
