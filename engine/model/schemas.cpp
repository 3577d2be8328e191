// The fields of TensorFlow's messages that are looked at, with TensorFlow's numbers.
#include "engine/model/message.h"

namespace footlight::model {
namespace {

using enum Field::Kind;

const Schema& shape() {
  static const Schema dim{"Dim", {{"size", 1, kNumber}}};
  static const Schema all{"TensorShapeProto", {{"dim", 2, kMessage, &dim}, {"unknown_rank", 3, kNumber}}};
  return all;
}
const Schema& tensor() {
  static const Schema all{"TensorProto",
                          {{"dtype", 1, kNumber},
                           {"tensor_shape", 2, kMessage, &shape()},
                           {"tensor_content", 4, kText},
                           {"float_val", 5, kFloat},
                           {"double_val", 6, kDouble},
                           {"int_val", 7, kNumber},
                           {"string_val", 8, kText},
                           {"int64_val", 10, kNumber},
                           {"bool_val", 11, kNumber}}};
  return all;
}
const Schema& attr_value() {
  static const Schema function{"NameAttrList", {{"name", 1, kText}}};
  static const Schema list{"ListValue",
                           {{"s", 2, kText},
                            {"i", 3, kNumber},
                            {"f", 4, kFloat},
                            {"b", 5, kNumber},
                            {"type", 6, kNumber},
                            {"shape", 7, kMessage, &shape()},
                            {"func", 9, kMessage, &function}}};
  static const Schema all{"AttrValue",
                          {{"list", 1, kMessage, &list},
                           {"s", 2, kText},
                           {"i", 3, kNumber},
                           {"f", 4, kFloat},
                           {"b", 5, kNumber},
                           {"type", 6, kNumber},
                           {"shape", 7, kMessage, &shape()},
                           {"tensor", 8, kMessage, &tensor()},
                           {"func", 10, kMessage, &function}}};
  return all;
}
const Schema& attr_entry() {
  static const Schema all{"attr", {{"key", 1, kText}, {"value", 2, kMessage, &attr_value()}}};
  return all;
}
const Schema& node() {
  static const Schema all{"NodeDef",
                          {{"name", 1, kText},
                           {"op", 2, kText},
                           {"input", 3, kText},
                           {"device", 4, kText},
                           {"attr", 5, kMessage, &attr_entry()}}};
  return all;
}
const Schema& function() {
  static const Schema argument{"ArgDef", {{"name", 1, kText}, {"type", 3, kNumber}, {"type_attr", 4, kText}}};
  static const Schema signature{
      "OpDef",
      {{"name", 1, kText}, {"input_arg", 2, kMessage, &argument}, {"output_arg", 3, kMessage, &argument}}};
  static const Schema result{"ret", {{"key", 1, kText}, {"value", 2, kText}}};
  static const Schema attrs{"ArgAttrs", {{"attr", 1, kMessage, &attr_entry()}}};
  static const Schema numbered{"arg_attr", {{"key", 1, kNumber}, {"value", 2, kMessage, &attrs}}};
  static const Schema all{"FunctionDef",
                          {{"signature", 1, kMessage, &signature},
                           {"node_def", 3, kMessage, &node()},
                           {"ret", 4, kMessage, &result},
                           {"arg_attr", 7, kMessage, &numbered}}};
  return all;
}

const Schema& reference() {
  static const Schema all{"ObjectReference", {{"node_id", 1, kNumber}, {"local_name", 2, kText}}};
  return all;
}

// Structured values contain each other: the schema is filled once it has an address.
const Schema& structured() {
  static Schema all{"StructuredValue", {}};
  static const Schema spec{"TensorSpecProto",
                           {{"name", 1, kText}, {"shape", 2, kMessage, &shape()}, {"dtype", 3, kNumber}}};
  static const Schema list{"ListValue", {{"values", 1, kMessage, &all}}};
  static const Schema entry{"fields", {{"key", 1, kText}, {"value", 2, kMessage, &all}}};
  static const Schema dict{"DictValue", {{"fields", 1, kMessage, &entry}}};
  static const Schema named{"NamedTupleValue", {{"name", 1, kText}, {"values", 2, kMessage, &entry}}};
  static const Schema none{"NoneValue", {}};
  static const Schema other{"TypeSpecProto", {{"type_spec_class_name", 3, kText}}};
  if (all.fields.empty())
    all.fields = {{"none_value", 1, kMessage, &none},
                  {"float64_value", 11, kDouble},
                  {"int64_value", 12, kNumber},
                  {"string_value", 13, kText},
                  {"bool_value", 14, kNumber},
                  {"tensor_spec_value", 33, kMessage, &spec},
                  {"type_spec_value", 34, kMessage, &other},
                  {"bounded_tensor_spec_value", 35, kMessage, &spec},
                  {"list_value", 51, kMessage, &list},
                  {"tuple_value", 52, kMessage, &list},
                  {"dict_value", 53, kMessage, &dict},
                  {"named_tuple_value", 54, kMessage, &named}};
  return all;
}

}  // namespace

const Schema& graph_def_schema() {
  static const Schema library{"FunctionDefLibrary", {{"function", 1, kMessage, &function()}}};
  static const Schema all{"GraphDef", {{"node", 1, kMessage, &node()}, {"library", 2, kMessage, &library}}};
  return all;
}

const Schema& object_graph_schema() {
  static const Schema user{"SavedUserObject", {{"identifier", 1, kText}}};
  static const Schema asset{"SavedAsset", {{"asset_file_def_index", 1, kNumber}}};
  static const Schema spec{"FunctionSpec", {{"fullargspec", 1, kMessage, &structured()}}};
  static const Schema saved_function{
      "SavedFunction", {{"concrete_functions", 1, kText}, {"function_spec", 2, kMessage, &spec}}};
  static const Schema variable{"SavedVariable",
                               {{"dtype", 1, kNumber},
                                {"shape", 2, kMessage, &shape()},
                                {"trainable", 3, kNumber},
                                {"name", 6, kText}}};
  static const Schema bare{"SavedBareConcreteFunction", {{"concrete_function_name", 1, kText}}};
  static const Schema constant{"SavedConstant", {{"operation", 1, kText}}};
  static const Schema resource{"SavedResource", {{"device", 1, kText}}};
  static const Schema object{"SavedObject",
                             {{"children", 1, kMessage, &reference()},
                              {"user_object", 4, kMessage, &user},
                              {"asset", 5, kMessage, &asset},
                              {"function", 6, kMessage, &saved_function},
                              {"variable", 7, kMessage, &variable},
                              {"bare_concrete_function", 8, kMessage, &bare},
                              {"constant", 9, kMessage, &constant},
                              {"resource", 10, kMessage, &resource}}};
  static const Schema concrete{"SavedConcreteFunction",
                               {{"bound_inputs", 2, kNumber},
                                {"canonicalized_input_signature", 3, kMessage, &structured()},
                                {"output_signature", 4, kMessage, &structured()}}};
  static const Schema entry{"concrete_functions", {{"key", 1, kText}, {"value", 2, kMessage, &concrete}}};
  static const Schema all{"SavedObjectGraph",
                          {{"nodes", 1, kMessage, &object}, {"concrete_functions", 2, kMessage, &entry}}};
  return all;
}

const Schema& saved_model_schema() {
  static const Schema info{"MetaInfoDef", {{"tags", 4, kText}, {"tensorflow_version", 5, kText}}};
  static const Schema tensor_info{
      "TensorInfo", {{"name", 1, kText}, {"dtype", 2, kNumber}, {"tensor_shape", 3, kMessage, &shape()}}};
  static const Schema named{"inputs", {{"key", 1, kText}, {"value", 2, kMessage, &tensor_info}}};
  static const Schema signature{
      "SignatureDef",
      {{"inputs", 1, kMessage, &named}, {"outputs", 2, kMessage, &named}, {"method_name", 3, kText}}};
  static const Schema entry{"signature_def", {{"key", 1, kText}, {"value", 2, kMessage, &signature}}};
  static const Schema asset{"AssetFileDef", {{"filename", 2, kText}}};
  static const Schema meta{"MetaGraphDef",
                           {{"meta_info_def", 1, kMessage, &info},
                            {"graph_def", 2, kMessage, &graph_def_schema()},
                            {"signature_def", 5, kMessage, &entry},
                            {"asset_file_def", 6, kMessage, &asset},
                            {"object_graph_def", 7, kMessage, &object_graph_schema()}}};
  static const Schema all{"SavedModel", {{"meta_graphs", 2, kMessage, &meta}}};
  return all;
}

}  // namespace footlight::model
