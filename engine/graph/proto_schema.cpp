// The messages of GraphDef and their fields, in the order of their numbers.
#include "engine/graph/proto.h"

namespace footlight::proto {
namespace {

using enum Kind;
constexpr Label kOne = Label::kSingle, kMany = Label::kRepeated, kMapped = Label::kMap;

const Schema* shape();
const Schema* tensor();
const Schema* list_value();
const Schema* name_attr_list();
const Schema* attr_entry();
const Schema* attr() { return &attr_value(); }
const Schema* node() { return &node_def(); }
const Schema* function() { return &function_def(); }

constexpr FieldSchema kDim[] = {{"size", kInt}, {"name", kString}};
constexpr Schema kDimSchema{"Dim", kDim};
const Schema* dim() { return &kDimSchema; }

constexpr FieldSchema kShape[] = {{"dim", kMessage, kMany, dim}, {"unknown_rank", kBool}};
constexpr Schema kShapeSchema{"TensorShapeProto", kShape};
const Schema* shape() { return &kShapeSchema; }

constexpr FieldSchema kTensor[] = {{"dtype", kDType},
                                   {"tensor_shape", kMessage, kOne, shape},
                                   {"version_number", kInt},
                                   {"tensor_content", kBytes},
                                   {"half_val", kInt, kMany},
                                   {"float_val", kFloat, kMany},
                                   {"double_val", kDouble, kMany},
                                   {"int_val", kInt, kMany},
                                   {"string_val", kBytes, kMany},
                                   {"scomplex_val", kFloat, kMany},
                                   {"int64_val", kInt, kMany},
                                   {"bool_val", kBool, kMany},
                                   {"dcomplex_val", kDouble, kMany},
                                   {"uint32_val", kInt, kMany},
                                   {"uint64_val", kInt, kMany}};
constexpr Schema kTensorSchema{"TensorProto", kTensor};
const Schema* tensor() { return &kTensorSchema; }

constexpr FieldSchema kAttrEntry[] = {{"key", kString}, {"value", kMessage, kOne, attr}};
constexpr Schema kAttrEntrySchema{"AttrEntry", kAttrEntry};
const Schema* attr_entry() { return &kAttrEntrySchema; }

constexpr FieldSchema kNameAttrList[] = {{"name", kString}, {"attr", kMessage, kMapped, attr_entry}};
constexpr Schema kNameAttrListSchema{"NameAttrList", kNameAttrList};
const Schema* name_attr_list() { return &kNameAttrListSchema; }

constexpr FieldSchema kList[] = {{"s", kBytes, kMany}, {"i", kInt, kMany}, {"f", kFloat, kMany}, {"b", kBool, kMany},
  {"type", kDType, kMany}, {"shape", kMessage, kMany, shape}, {"tensor", kMessage, kMany, tensor},
  {"func", kMessage, kMany, name_attr_list}};
constexpr Schema kListSchema{"ListValue", kList};
const Schema* list_value() { return &kListSchema; }

constexpr FieldSchema kAttr[] = {{"list", kMessage, kOne, list_value},
                                 {"s", kBytes},
                                 {"i", kInt},
                                 {"f", kFloat},
                                 {"b", kBool},
                                 {"type", kDType},
                                 {"shape", kMessage, kOne, shape},
                                 {"tensor", kMessage, kOne, tensor},
                                 {"func", kMessage, kOne, name_attr_list},
                                 {"placeholder", kString}};
constexpr Schema kAttrSchema{"AttrValue", kAttr};

constexpr FieldSchema kNode[] = {{"name", kString}, {"op", kString}, {"input", kString, kMany}, {"device", kString},
  {"attr", kMessage, kMapped, attr_entry}};
constexpr Schema kNodeSchema{"NodeDef", kNode};

constexpr FieldSchema kArg[] = {{"name", kString}, {"description", kString}, {"type", kDType}, {"type_attr", kString},
  {"number_attr", kString}, {"type_list_attr", kString}, {"is_ref", kBool}};
constexpr Schema kArgSchema{"ArgDef", kArg};
const Schema* arg() { return &kArgSchema; }

constexpr FieldSchema kSignature[] = {{"name", kString},
                                      {"input_arg", kMessage, kMany, arg},
                                      {"output_arg", kMessage, kMany, arg},
                                      {"control_output", kString, kMany},
                                      {"summary", kString},
                                      {"description", kString},
                                      {"is_stateful", kBool}};
constexpr Schema kSignatureSchema{"OpDef", kSignature};
const Schema* signature() { return &kSignatureSchema; }

constexpr FieldSchema kArgAttrs[] = {{"attr", kMessage, kMapped, attr_entry}};
constexpr Schema kArgAttrsSchema{"ArgAttrs", kArgAttrs};
const Schema* arg_attrs() { return &kArgAttrsSchema; }

constexpr FieldSchema kArgAttrEntry[] = {{"key", kInt}, {"value", kMessage, kOne, arg_attrs}};
constexpr Schema kArgAttrEntrySchema{"ArgAttrEntry", kArgAttrEntry};
const Schema* arg_attr_entry() { return &kArgAttrEntrySchema; }

constexpr FieldSchema kRet[] = {{"key", kString}, {"value", kString}};
constexpr Schema kRetSchema{"RetEntry", kRet};
const Schema* ret() { return &kRetSchema; }

constexpr FieldSchema kFunction[] = {{"signature", kMessage, kOne, signature}, {"node_def", kMessage, kMany, node},
  {"ret", kMessage, kMapped, ret}, {"attr", kMessage, kMapped, attr_entry}, {"control_ret", kMessage, kMapped, ret},
  {"arg_attr", kMessage, kMapped, arg_attr_entry}};
constexpr Schema kFunctionSchema{"FunctionDef", kFunction};

constexpr FieldSchema kLibrary[] = {{"function", kMessage, kMany, function}};
constexpr Schema kLibrarySchema{"FunctionDefLibrary", kLibrary};
const Schema* library() { return &kLibrarySchema; }

constexpr FieldSchema kVersions[] = {{"producer", kInt}, {"min_consumer", kInt}, {"bad_consumers", kInt, kMany}};
constexpr Schema kVersionsSchema{"VersionDef", kVersions};
const Schema* versions() { return &kVersionsSchema; }

constexpr FieldSchema kGraph[] = {{"node", kMessage, kMany, node}, {"library", kMessage, kOne, library},
  {"versions", kMessage, kOne, versions}};
constexpr Schema kGraphSchema{"GraphDef", kGraph};

}  // namespace

const Schema& graph_def() { return kGraphSchema; }
const Schema& node_def() { return kNodeSchema; }
const Schema& function_def() { return kFunctionSchema; }
const Schema& attr_value() { return kAttrSchema; }

}  // namespace footlight::proto
