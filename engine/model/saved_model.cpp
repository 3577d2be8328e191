// A SavedModel: its signatures, and the objects that its root leads to with their functions and variables.
#include "engine/base/errors.h"
#include "engine/base/text.h"
#include "engine/model/parts.h"

#include <algorithm>
#include <set>

namespace footlight::model {
namespace {

constexpr size_t kMaxObjects = size_t{1} << 20;
constexpr size_t kLongest = 4096;
constexpr int kDeepest = 32;

// A StructuredValue in a line: "(x: float32 (?, 3), False)".
std::string text_of(const Message* value, int depth = 0) {
  if (!value || depth > kDeepest) return "...";
  const auto joined = [&](const std::vector<const Message*>& items) {
    std::string text;
    for (const Message* item : items) {
      if (text.size() > kLongest) return text + ", ...";
      text += (text.empty() ? "" : ", ") + text_of(item, depth + 1);
    }
    return text;
  };
  const auto pairs = [&](const std::vector<const Message*>& items) {
    std::string text;
    for (const Message* item : items) {
      if (text.size() > kLongest) return text + ", ...";
      const std::string name = str(item->text("key"), ": "),
                        inner = text_of(item->message("value"), depth + 1);
      text += (text.empty() ? "" : ", ") + (inner.starts_with(name) ? "" : name) + inner;
    }
    return text;
  };
  for (const char* kind : {"tensor_spec_value", "bounded_tensor_spec_value"})
    if (const Message* spec = value->message(kind)) {
      const std::string type = dtype_name(spec->number("dtype")) + " " + shape_text(spec->message("shape"));
      return spec->text("name").empty() ? type : str(spec->text("name"), ": ", type);
    }
  if (const Message* spec = value->message("type_spec_value"))
    return std::string(spec->text("type_spec_class_name"));
  if (const Message* list = value->message("list_value")) return "[" + joined(list->messages("values")) + "]";
  if (const Message* list = value->message("tuple_value"))
    return "(" + joined(list->messages("values")) + ")";
  if (const Message* dict = value->message("dict_value")) return "{" + pairs(dict->messages("fields")) + "}";
  if (const Message* named = value->message("named_tuple_value"))
    return str(named->text("name"), "(", pairs(named->messages("values")), ")");
  if (value->has("string_value")) return str("'", value->text("string_value"), "'");
  if (value->has("bool_value")) return value->number("bool_value") ? "True" : "False";
  if (value->has("int64_value")) {
    const int64_t folded = value->number("int64_value");  // zigzag
    return std::to_string(static_cast<int64_t>(static_cast<uint64_t>(folded) >> 1) ^ -(folded & 1));
  }
  if (const Message::Value* real = value->last("float64_value")) return str(real->real);
  return value->has("none_value") ? "None" : "...";
}

// "(x: float32 (?, 3), training: True) -> float32 (?, 2)", of a canonical signature.
std::string trace_text(const Message& concrete) {
  std::string arguments;
  const Message* signature = concrete.message("canonicalized_input_signature");
  const Message* pair = signature ? signature->message("tuple_value") : nullptr;
  if (pair) {
    for (const Message* part : pair->messages("values")) {
      std::string text = text_of(part);
      if (text.size() > 2) arguments += (arguments.empty() ? "" : ", ") + text.substr(1, text.size() - 2);
    }
  }
  return "(" + arguments + ") -> " + text_of(concrete.message("output_signature"));
}

// "x, training=False": of a FullArgSpec.
std::string arguments_text(const Message& function) {
  const Message* spec = function.message("function_spec");
  const Message* whole = spec ? spec->message("fullargspec") : nullptr;
  const Message* named = whole ? whole->message("named_tuple_value") : nullptr;
  if (!named) return "";
  std::vector<std::string> words;
  std::vector<const Message*> defaults;
  for (const Message* entry : named->messages("values")) {
    const Message* value = entry->message("value");
    if (!value) continue;
    const Message* list = value->message("list_value");
    if (!list) list = value->message("tuple_value");
    if (entry->text("key") == "args" && list) {
      for (const Message* word : list->messages("values")) words.emplace_back(word->text("string_value"));
    } else if (entry->text("key") == "defaults" && list) {
      defaults = list->messages("values");
    } else if (entry->text("key") == "kwonlyargs" && list && !list->messages("values").empty()) {
      words.emplace_back("*");
      for (const Message* word : list->messages("values")) words.emplace_back(word->text("string_value"));
    }
    if (entry->text("key") == "defaults")
      for (size_t i = 0; i < defaults.size() && i < words.size(); ++i)
        words[words.size() - 1 - i] += "=" + text_of(defaults[defaults.size() - 1 - i]);
  }
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

TensorFacts facts_of(const Message& named) {
  const Message* info = named.message("value");
  if (!info) return {std::string(named.text("key")), "", ""};
  return {std::string(named.text("key")), dtype_name(info->number("dtype")),
          shape_text(info->message("tensor_shape"))};
}

class Objects {
 public:
  Objects(ModelFile& model, const Message& graph, const std::map<std::string, GraphId, std::less<>>& ids)
      : model_(model), nodes_(graph.messages("nodes")), ids_(ids) {
    if (nodes_.size() > kMaxObjects)
      fail(ErrorKind::kValue, "the SavedModel has more than ", kMaxObjects, " objects");
    for (const Message* entry : graph.messages("concrete_functions"))
      if (const Message* value = entry->message("value")) concrete_[std::string(entry->text("key"))] = value;
  }

  // Breadth first, so that each object has its shortest way.
  void walk() {
    if (nodes_.empty()) return;
    std::vector<std::pair<size_t, std::string>> todo{{0, "(root)"}};
    std::set<size_t> seen{0};
    for (size_t i = 0; i < todo.size(); ++i) {
      const auto [number, path] = todo[i];
      const Message& node = *nodes_[number];
      add(node, path);
      if (node.has("function") || node.has("bare_concrete_function")) continue;
      for (const Message* child : node.messages("children")) {
        const int64_t to = child->number("node_id");
        if (to < 0 || static_cast<size_t>(to) >= nodes_.size())
          fail(ErrorKind::kValue, "the SavedModel is damaged: it refers to the object ", to, ", of ",
               nodes_.size());
        if (!seen.insert(static_cast<size_t>(to)).second) continue;
        const std::string name(child->text("local_name"));
        todo.emplace_back(static_cast<size_t>(to), i == 0 ? name : (path + "." + name).substr(0, kLongest));
      }
    }
  }

 private:
  void add(const Message& node, const std::string& path) {
    std::string kind = "object";
    if (const Message* variable = node.message("variable")) {
      kind = "variable";
      Variable& v = model_.variables.emplace_back();
      v.name = path;
      v.dtype = dtype_name(variable->number("dtype"));
      v.shape = shape_text(variable->message("shape"));
      v.trainable = variable->number("trainable") != 0;
      const int64_t count = element_count(variable->message("shape"));
      const int64_t size = dtype_size(variable->number("dtype"));
      if (count < 0 || size == 0 || __builtin_mul_overflow(count, size, &v.bytes)) v.bytes = -1;
    } else if (const Message* function = node.message("function")) {
      kind = "function";
      Function& f = model_.functions.emplace_back();
      f.name = path;
      f.arguments = arguments_text(*function);
      for (const std::string_view trace : function->texts("concrete_functions")) add_trace(f, trace);
    } else if (const Message* bare = node.message("bare_concrete_function")) {
      kind = "concrete function";
      Function& f = model_.functions.emplace_back();
      f.name = path;
      add_trace(f, bare->text("concrete_function_name"));
    } else if (node.has("asset")) {
      kind = "asset";
    } else if (node.has("constant")) {
      kind = "constant";
    } else if (node.has("resource")) {
      kind = "resource";
    } else if (const Message* user = node.message("user_object")) {
      kind = user->text("identifier");
      if (kind == "_generic_user_object") kind = "object";
      if (kind.starts_with("trackable_") && kind.ends_with("_wrapper"))
        kind = kind.substr(10, kind.size() - 18);
    }
    model_.objects.push_back({path, kind});
  }

  void add_trace(Function& function, std::string_view name) {
    const auto concrete = concrete_.find(name);
    function.traces.push_back(concrete == concrete_.end() ? std::string(name)
                                                          : trace_text(*concrete->second));
    const auto graph = ids_.find(name);
    function.graphs.push_back(graph == ids_.end() ? GraphId() : graph->second);
  }

  ModelFile& model_;
  std::vector<const Message*> nodes_;
  const std::map<std::string, GraphId, std::less<>>& ids_;
  std::map<std::string, const Message*, std::less<>> concrete_;
};

std::string joined(const std::vector<std::string_view>& words) {
  std::string text;
  for (const std::string_view word : words) text += str(text.empty() ? "" : ", ", word);
  return text;
}

}  // namespace

void read_saved_model(ModelFile& model, const Message& saved_model) {
  const std::vector<const Message*> metas = saved_model.messages("meta_graphs");
  if (metas.empty()) fail(ErrorKind::kValue, "the SavedModel has no graph");
  const Message& meta = *metas.front();
  if (const Message* info = meta.message("meta_info_def")) {
    model.facts.emplace_back("tags", joined(info->texts("tags")));
    model.facts.emplace_back("written by", "TensorFlow " + std::string(info->text("tensorflow_version")));
  }
  if (metas.size() > 1)
    model.facts.emplace_back("graphs", str(metas.size(), ", of which the first is shown"));
  std::vector<std::string_view> assets;
  for (const Message* asset : meta.messages("asset_file_def")) assets.push_back(asset->text("filename"));
  if (!assets.empty()) model.facts.emplace_back("assets", joined(assets));
  for (const Message* entry : meta.messages("signature_def")) {
    const Message* value = entry->message("value");
    if (!value || entry->text("key").starts_with("__saved_model")) continue;
    Signature& signature = model.signatures.emplace_back();
    signature.name = entry->text("key");
    for (const Message* named : value->messages("inputs")) signature.inputs.push_back(facts_of(*named));
    for (const Message* named : value->messages("outputs")) signature.outputs.push_back(facts_of(*named));
    for (auto* list : {&signature.inputs, &signature.outputs})
      std::ranges::sort(*list, {}, &TensorFacts::name);
  }
  std::ranges::sort(model.signatures, {}, &Signature::name);
  std::map<std::string, GraphId, std::less<>> ids;
  if (const Message* graph = meta.message("graph_def")) add_graphs(model, *graph, ids);
  if (const Message* objects = meta.message("object_graph_def")) Objects(model, *objects, ids).walk();
}

}  // namespace footlight::model
