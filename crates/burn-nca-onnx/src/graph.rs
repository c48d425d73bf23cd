//! A graph under construction: constants and operations with names, in the order of computation.
//!
//! The messages and the numbers of their fields are those of `onnx.proto` (`onnx/onnx.proto3`, ONNX 1.x).

use crate::proto::Message;

/// The type of a tensor's values (`TensorProto.DataType`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataType {
    /// 32-bit floats.
    Float = 1,
    /// 64-bit whole numbers.
    Int64 = 7,
    /// Texts.
    String = 8,
    /// 64-bit floats.
    Double = 11,
}

/// The name of the free dimension: the number of rows.
const ROWS: &str = "n";

/// The field of a tensor's values as bytes.
const RAW_DATA: u64 = 9;

/// `AttributeProto.AttributeType.INT`
const INT: i64 = 2;

/// A graph under construction (`GraphProto`).
#[derive(Default)]
pub struct Graph {
    nodes: Vec<Message>,
    constants: Vec<Message>,
    inputs: Vec<Message>,
    outputs: Vec<Message>,
}

impl Graph {
    /// An input of `columns` columns and any number of rows.
    pub fn input(&mut self, name: &str, data_type: DataType, columns: usize, meaning: &str) {
        self.inputs.push(value(name, data_type, Some(columns), meaning));
    }

    /// An output of any number of rows, of `columns` columns or of one value per row.
    pub fn output(
        &mut self,
        name: &str,
        data_type: DataType,
        columns: Option<usize>,
        meaning: &str,
    ) {
        self.outputs.push(value(name, data_type, columns, meaning));
    }

    /// A constant of numbers, row-major; floats are rounded from the doubles given.
    pub fn constant(
        &mut self,
        name: &str,
        data_type: DataType,
        values: &[f64],
        dims: &[usize],
    ) -> String {
        let raw: Vec<u8> = match data_type {
            DataType::Float => values.iter().flat_map(|x| (*x as f32).to_le_bytes()).collect(),
            _ => values.iter().flat_map(|x| x.to_le_bytes()).collect(),
        };
        self.constants.push(tensor(name, data_type, dims).bytes(RAW_DATA, &raw));
        name.to_string()
    }

    /// A constant list of whole numbers.
    pub fn whole_numbers(&mut self, name: &str, values: &[i64]) -> String {
        self.whole_tensor(name, values, &[values.len()])
    }

    /// A constant whole number, without dimensions.
    pub fn whole_number(&mut self, name: &str, value: i64) -> String {
        self.whole_tensor(name, &[value], &[])
    }

    fn whole_tensor(&mut self, name: &str, values: &[i64], dims: &[usize]) -> String {
        let raw: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
        self.constants.push(tensor(name, DataType::Int64, dims).bytes(RAW_DATA, &raw));
        name.to_string()
    }

    /// A constant of texts.
    pub fn texts(&mut self, name: &str, values: &[String]) -> String {
        const STRING_DATA: u64 = 6;
        let tensor = tensor(name, DataType::String, &[values.len()]);
        let tensor = values.iter().fold(tensor, |tensor, text| tensor.text(STRING_DATA, text));
        self.constants.push(tensor);
        name.to_string()
    }

    /// An operation with one output and whole numbers as attributes; gives the output's name.
    pub fn node(
        &mut self,
        operator: &str,
        inputs: &[&str],
        output: &str,
        attributes: &[(&str, i64)],
    ) -> String {
        self.node_of_many(operator, inputs, &[output], attributes);
        output.to_string()
    }

    /// An operation with several outputs and whole numbers as attributes (`NodeProto`).
    pub fn node_of_many(
        &mut self,
        operator: &str,
        inputs: &[&str],
        outputs: &[&str],
        attributes: &[(&str, i64)],
    ) {
        let node = inputs.iter().fold(Message::new(), |node, input| node.text(1, input));
        let node = outputs.iter().fold(node, |node, output| node.text(2, output));
        let name = format!("make_{}", outputs.concat());
        let node = node.text(3, &name).text(4, operator);
        let node = attributes.iter().fold(node, |node, (name, value)| {
            let attribute = Message::new().text(1, name).whole(3, *value).whole(20, INT);
            node.message(5, &attribute)
        });
        self.nodes.push(node);
    }

    /// An operation without attributes.
    pub fn apply(&mut self, operator: &str, inputs: &[&str], output: &str) -> String {
        self.node(operator, inputs, output, &[])
    }

    /// A change of number type.
    pub fn cast(&mut self, input: &str, data_type: DataType, output: &str) -> String {
        self.node("Cast", &[input], output, &[("to", data_type as i64)])
    }

    /// The finished graph.
    pub fn finish(self, name: &str) -> Message {
        let fields = [(5, self.constants), (11, self.inputs), (12, self.outputs)];
        let all = |graph: Message, (field, parts): (u64, Vec<Message>)| {
            parts.iter().fold(graph, |graph, part| graph.message(field, part))
        };
        let graph = all(Message::new(), (1, self.nodes)).text(2, name);
        fields.into_iter().fold(graph, all)
    }
}

/// A tensor without its values (`TensorProto`).
fn tensor(name: &str, data_type: DataType, dims: &[usize]) -> Message {
    let tensor = dims.iter().fold(Message::new(), |tensor, &size| tensor.whole(1, size as i64));
    tensor.whole(2, data_type as i64).text(8, name)
}

/// An input or output (`ValueInfoProto`, `TypeProto.Tensor`, `TensorShapeProto`).
fn value(name: &str, data_type: DataType, columns: Option<usize>, meaning: &str) -> Message {
    let shape = Message::new().message(1, &Message::new().text(2, ROWS));
    let shape = match columns {
        Some(columns) => shape.message(1, &Message::new().whole(1, columns as i64)),
        None => shape,
    };
    let tensor = Message::new().whole(1, data_type as i64).message(2, &shape);
    let kind = Message::new().message(1, &tensor);
    Message::new().text(1, name).message(2, &kind).text(3, meaning)
}
