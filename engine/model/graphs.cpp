// A GraphDef's graphs as those of recordings, so that they are shown alike.
#include "engine/base/errors.h"
#include "engine/base/text.h"
#include "engine/model/parts.h"

#include <algorithm>
#include <unordered_map>

namespace footlight::model {
namespace {

struct Type {
  const char* name;
  int64_t size;
};
constexpr Type kTypes[] = {
    {"invalid", 0},     {"float32", 4}, {"float64", 8},   {"int32", 4},   {"uint8", 1},   {"int16", 2},
    {"int8", 1},        {"string", 0},  {"complex64", 8}, {"int64", 8},   {"bool", 1},    {"qint8", 1},
    {"quint8", 1},      {"qint32", 4},  {"bfloat16", 2},  {"qint16", 2},  {"quint16", 2}, {"uint16", 2},
    {"complex128", 16}, {"float16", 2}, {"resource", 0},  {"variant", 0}, {"uint32", 4},  {"uint64", 8}};

constexpr size_t kMaxNodes = size_t{1} << 22;
constexpr size_t kMaxText = 120;
constexpr uint32_t kMaxOutputs = 65535;

std::string tensor_text(const Message& tensor) {
  const std::string type =
      dtype_name(tensor.number("dtype")) + " " + shape_text(tensor.message("tensor_shape"));
  const Message* shape = tensor.message("tensor_shape");
  if (shape && !shape->messages("dim").empty()) return type;
  for (const char* field : {"int_val", "int64_val", "bool_val"})
    if (tensor.has(field)) return std::to_string(tensor.number(field)) + " (" + type + ")";
  for (const char* field : {"float_val", "double_val"})
    if (const Message::Value* value = tensor.last(field)) return str(value->real, " (", type, ")");
  if (tensor.has("string_val")) return "'" + cut(tensor.text("string_val")) + "'";
  return type;
}

std::string attr_text(const Message& value) {
  if (value.has("type")) return dtype_name(value.number("type"));
  if (value.has("shape")) return shape_text(value.message("shape"));
  if (value.has("b")) return value.number("b") ? "true" : "false";
  if (value.has("i")) return std::to_string(value.number("i"));
  if (const Message::Value* real = value.last("f")) return str(real->real);
  if (value.has("func")) return std::string(value.message("func")->text("name"));
  if (value.has("tensor")) return tensor_text(*value.message("tensor"));
  if (value.has("s")) return "'" + cut(value.text("s")) + "'";
  const Message* list = value.message("list");
  if (!list) return "";
  std::string text = "[";
  size_t count = 0;
  for (const Message::Value& item : list->values) {
    if (++count > 8) {
      text += ", ...";
      break;
    }
    if (text.size() > 1) text += ", ";
    const std::string_view name = item.field->name;
    text += name == "type"    ? dtype_name(item.number)
            : name == "shape" ? shape_text(item.message.get())
            : name == "func"  ? std::string(item.message->text("name"))
            : name == "s"     ? "'" + cut(item.text) + "'"
            : name == "f"     ? str(item.real)
                              : std::to_string(item.number);
  }
  return text + "]";
}

class GraphReader {
 public:
  GraphReader(const std::map<std::string, GraphId, std::less<>>& ids, size_t& nodes)
      : ids_(ids), nodes_(nodes) {}

  session::GraphRecord read(GraphId id, std::string name, const std::vector<const Message*>& nodes,
                            const Message* function) {
    graph_.id = id;
    graph_.name = std::move(name);
    if (function) add_arguments(*function);
    for (const Message* node : nodes) add_node(*node);
    size_t at = graph_.nodes.size() - nodes.size();
    for (const Message* node : nodes) connect(graph_.nodes[at++], *node);
    if (function) add_results(*function);
    return std::move(graph_);
  }

 private:
  session::NodeRecord& fresh(std::string name, std::string op) {
    if (++nodes_ > kMaxNodes) fail(ErrorKind::kValue, "the file has more than ", kMaxNodes, " nodes");
    session::NodeRecord& node = graph_.nodes.emplace_back();
    node.id = static_cast<uint32_t>(graph_.nodes.size() - 1);
    numbers_.emplace(name, node.id);
    node.name = std::move(name);
    node.op = std::move(op);
    return node;
  }

  void add_arguments(const Message& function) {
    const Message* signature = function.message("signature");
    if (!signature) return;
    std::unordered_map<int64_t, std::string> shapes;
    for (const Message* entry : function.messages("arg_attr"))
      if (const Message* attrs = entry->message("value"))
        for (const Message* attr : attrs->messages("attr"))
          if (attr->text("key") == "_output_shapes" && attr->message("value"))
            if (const Message* list = attr->message("value")->message("list"))
              shapes[entry->number("key")] = shape_text(list->message("shape"));
    int64_t at = 0;
    for (const Message* argument : signature->messages("input_arg")) {
      session::NodeRecord& node = fresh(std::string(argument->text("name")), "Placeholder");
      node.family = "placeholder";
      const auto shape = shapes.find(at++);
      node.outputs = {dtype_name(argument->number("type")) +
                      (shape == shapes.end() ? std::string() : " " + shape->second)};
      graph_.inputs.push_back(node.id);
    }
  }

  void add_node(const Message& def) {
    session::NodeRecord& node = fresh(std::string(def.text("name")), std::string(def.text("op")));
    std::string type;
    for (const Message* entry : def.messages("attr")) {
      const std::string_view key = entry->text("key");
      const Message* value = entry->message("value");
      if (!value) continue;
      if (const Message* callee = value->message("func")) add_function(node, key, callee->text("name"));
      if (const Message* list = value->message("list")) {
        size_t at = 0;
        for (const Message* callee : list->messages("func"))
          add_function(node, str(key, "[", at++, "]"), callee->text("name"));
        if (key == "_output_shapes")
          for (const Message* shape : list->messages("shape")) node.outputs.push_back(shape_text(shape));
      }
      if (value->has("type") && (type.empty() || key == "dtype" || key == "out_type"))
        type = dtype_name(value->number("type"));
      if (key == "value" && value->message("tensor")) node.constant = tensor_text(*value->message("tensor"));
      if (!key.starts_with('_') && key != "value")
        node.attributes += (node.attributes.empty() ? "" : "; ") + str(key, "=", attr_text(*value));
    }
    for (std::string& output : node.outputs) output = type + (type.empty() ? "" : " ") + output;
    if (node.outputs.empty() && !type.empty()) node.outputs = {type};
    if (node.op == "Const") node.family = "constant";
    if (node.op == "Placeholder") {
      node.family = "placeholder";
      graph_.inputs.push_back(node.id);
    }
  }

  void add_function(session::NodeRecord& node, std::string_view attribute, std::string_view name) {
    const auto at = ids_.find(name);
    if (at != ids_.end()) node.functions.push_back({std::string(attribute), at->second});
  }

  // "add", "add:1", in functions "add:z:0".
  bool edge_to(std::string_view reference, session::EdgeRecord& edge) {
    std::string_view name = reference;
    uint64_t output = 0;
    if (const size_t colon = reference.find(':'); colon != std::string_view::npos) {
      name = reference.substr(0, colon);
      for (const char c : reference.substr(reference.rfind(':') + 1))
        output = c >= '0' && c <= '9' && output <= kMaxOutputs ? output * 10 + static_cast<uint64_t>(c - '0')
                                                                : output;
    }
    const auto at = numbers_.find(std::string(name));
    if (at == numbers_.end() || output > kMaxOutputs) return false;
    edge = {at->second, static_cast<uint16_t>(output)};
    std::vector<std::string>& outputs = graph_.nodes[at->second].outputs;
    if (outputs.size() <= output) outputs.resize(output + 1);
    return true;
  }

  void connect(session::NodeRecord& node, const Message& def) {
    for (const std::string_view input : def.texts("input")) {
      session::EdgeRecord edge;
      if (input.starts_with('^')) {
        const auto at = numbers_.find(std::string(input.substr(1)));
        if (at != numbers_.end()) node.control_inputs.push_back(at->second);
      } else if (edge_to(input, edge)) {
        node.inputs.push_back(edge);
      }
    }
  }

  void add_results(const Message& function) {
    for (const Message* result : function.messages("ret")) {
      session::EdgeRecord edge;
      if (edge_to(result->text("value"), edge)) graph_.outputs.push_back(edge);
    }
  }

  const std::map<std::string, GraphId, std::less<>>& ids_;
  size_t& nodes_;
  session::GraphRecord graph_;
  std::unordered_map<std::string, uint32_t> numbers_;
};

}  // namespace

std::string cut(std::string_view text) {
  std::string out;
  for (char c : text.substr(0, kMaxText)) out += static_cast<unsigned char>(c) < 32 ? ' ' : c;
  if (text.size() > kMaxText) out += "...";
  return out;
}

std::string dtype_name(int64_t number) {
  const bool reference = number > 100;
  if (reference) number -= 100;
  if (number < 0 || number >= static_cast<int64_t>(std::size(kTypes)))
    return "dtype " + std::to_string(number);
  return std::string(kTypes[number].name) + (reference ? " reference" : "");
}

int64_t dtype_size(int64_t number) {
  return number < 0 || number >= static_cast<int64_t>(std::size(kTypes)) ? 0 : kTypes[number].size;
}

std::string shape_text(const Message* shape) {
  if (!shape) return "()";
  if (shape->number("unknown_rank")) return "<unknown>";
  std::string text = "(";
  const std::vector<const Message*> dims = shape->messages("dim");
  if (dims.size() > 254) return "<more than 254 dimensions>";
  for (const Message* dim : dims) {
    const int64_t size = dim->number("size");
    text += (text.size() > 1 ? ", " : "") + (size < 0 ? std::string("?") : std::to_string(size));
  }
  return text + (dims.size() == 1 ? ",)" : ")");
}

int64_t element_count(const Message* shape) {
  if (!shape) return 1;
  if (shape->number("unknown_rank")) return -1;
  int64_t count = 1;
  for (const Message* dim : shape->messages("dim"))
    if (dim->number("size") < 0 || __builtin_mul_overflow(count, dim->number("size"), &count)) return -1;
  return count;
}

void add_graphs(ModelFile& model, const Message& graph_def,
                std::map<std::string, GraphId, std::less<>>& ids) {
  std::vector<const Message*> functions;
  if (const Message* library = graph_def.message("library")) functions = library->messages("function");
  uint32_t next = 1;
  const auto name_of = [](const Message* function) {
    const Message* signature = function->message("signature");
    return std::string(signature ? signature->text("name") : std::string_view());
  };
  for (const Message* function : functions) ids.emplace(name_of(function), GraphId(next++));
  size_t nodes = 0;
  const std::vector<const Message*> own = graph_def.messages("node");
  if (!own.empty())
    model.graphs.push_back(GraphReader(ids, nodes).read(GraphId(next), "graph", own, nullptr));
  uint32_t id = 1;
  for (const Message* function : functions)
    model.graphs.push_back(
        GraphReader(ids, nodes)
            .read(GraphId(id++), name_of(function), function->messages("node_def"), function));
}

}  // namespace footlight::model
