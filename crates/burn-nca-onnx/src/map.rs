//! Scaling and encoder as operations: from raw features to the embedding.

use burn_nca_learn::data::Scaling;
use burn_nca_learn::encoder::{Activation, AnyEncoder, Mlp};

use crate::graph::{DataType, Graph};
use crate::rule_parts::host;

/// The scaled features: `(x - offset) / scale` in doubles, in the type of the map after that.
pub fn scaled(graph: &mut Graph, scaling: &Scaling, input: &str, data_type: DataType) -> String {
    let (offset, scale) = (scaling.offset(), scaling.scale());
    let plain = offset.iter().all(|x| *x == 0.0) && scale.iter().all(|x| *x == 1.0);
    if plain {
        return input.to_string();
    }
    let d = offset.len();
    let double = match data_type {
        DataType::Float => graph.cast(input, DataType::Double, "features_double"),
        _ => input.to_string(),
    };
    let offset = graph.constant("offset", DataType::Double, offset, &[d]);
    let scale = graph.constant("scale", DataType::Double, scale, &[d]);
    let centered = graph.apply("Sub", &[&double, &offset], "centered");
    let scaled = graph.apply("Div", &[&centered, &scale], "scaled_double");
    match data_type {
        DataType::Float => graph.cast(&scaled, DataType::Float, "scaled"),
        _ => scaled,
    }
}

/// The embedding of scaled features.
pub fn embedded(
    graph: &mut Graph,
    encoder: &AnyEncoder,
    input: &str,
    data_type: DataType,
) -> String {
    const EMBEDDING: &str = "embedding";
    match encoder {
        AnyEncoder::Linear(map) => {
            let [d, k] = map.dims();
            // [k, d] to [d, k], as it multiplies from the right.
            let a = map.matrix();
            let weight: Vec<f64> =
                (0..d).flat_map(|column| a.iter().skip(column).step_by(d).copied()).collect();
            let weight = graph.constant("weight", data_type, &weight, &[d, k]);
            graph.apply("MatMul", &[input, &weight], EMBEDDING)
        }
        AnyEncoder::Diagonal(map) => {
            let diagonal = map.diagonal();
            let weight = graph.constant("weight", data_type, &diagonal, &[diagonal.len()]);
            graph.apply("Mul", &[input, &weight], EMBEDDING)
        }
        AnyEncoder::Mlp(network) => layers(graph, network, input, data_type, EMBEDDING),
        AnyEncoder::Modern(encoder) => {
            crate::members::embedded(graph, encoder, input, (data_type, EMBEDDING))
        }
    }
}

fn layers(
    graph: &mut Graph,
    network: &Mlp,
    input: &str,
    data_type: DataType,
    output: &str,
) -> String {
    let network = network.folded();
    let last = network.layers.len() - 1;
    let mut z = input.to_string();
    for (index, layer) in network.layers.iter().enumerate() {
        let number = index + 1;
        let [d_input, d_output] = layer.weight.dims();
        let weight = host(layer.weight.val());
        let weight =
            graph.constant(&format!("weight_{number}"), data_type, &weight, &[d_input, d_output]);
        let name = if index == last { output.to_string() } else { format!("layer_{number}") };
        z = match &layer.bias {
            Some(bias) => {
                let bias = host(bias.val().unsqueeze());
                let bias = graph.constant(&format!("bias_{number}"), data_type, &bias, &[d_output]);
                let product = graph.apply("MatMul", &[&z, &weight], &format!("product_{number}"));
                graph.apply("Add", &[&product, &bias], &name)
            }
            None => graph.apply("MatMul", &[&z, &weight], &name),
        };
        if index < last {
            let operator = match network.activation() {
                Activation::Relu => "Relu",
                Activation::Tanh => "Tanh",
                Activation::Logistic => "Sigmoid",
            };
            z = graph.apply(operator, &[&z], &format!("active_{number}"));
        }
    }
    z
}
