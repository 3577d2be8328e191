// How public functions are written: a family file returns its rows, {"math.exp exp", parameters, function, doc}.
#pragma once

#include "engine/base/text.h"
#include "engine/ops/functions.h"
#include "engine/ops/public_names.h"

#include <optional>
#include <tuple>
#include <type_traits>

namespace footlight::composite {

struct PublicDef {
  const char* names;       // aliases separated by blanks
  const char* parameters;
  Arg (*call)(std::span<const Arg> args, std::string_view name);
  const char* doc;
};

// The families, chained at static initialisation: each file has one FL_PUBLIC(name) { return {...}; }.
struct PublicFamily {
  std::vector<PublicDef> (*functions)();
  PublicFamily* next;
  static PublicFamily* first;
  explicit PublicFamily(std::vector<PublicDef> (*f)()) : functions(f), next(first) { first = this; }
};

using Args = std::span<const Arg>;
using Ints = std::vector<int64_t>;

// Arguments converted to the types their parameters declare.
inline const Tensor& tensor(const Arg& a) { return std::get<Tensor>(a.value); }
inline bool flag(const Arg& a) { return std::get<bool>(a.value); }
inline int64_t integer(const Arg& a) { return std::get<int64_t>(a.value); }
inline double real(const Arg& a) { return std::get<double>(a.value); }
inline const std::string& text(const Arg& a) { return std::get<std::string>(a.value); }
inline DType dtype(const Arg& a) { return std::get<DType>(a.value); }
std::vector<Tensor> tensors(const Arg&);
ArgList list_of(const std::vector<Tensor>&);     // the reverse of tensors()
std::vector<int64_t> integers(const Arg&);       // for `ints`
std::optional<int64_t> seed(const Arg&);         // for `int?`
// Converts a shape to the tensor that ops take; throws if a dimension is unknown.
Tensor shape_tensor(const Arg&, DType = DType::kInt32);
inline std::string_view name_or(std::string_view name, std::string_view otherwise) {
  return name.empty() ? otherwise : name;
}

const Tensor& tensor_or_none(const Arg&);        // for `tensor?`: an empty tensor for None
DType dtype_or_none(const Arg&);                 // for `dtype?`: kInvalid for None

// An argument as a C++ parameter. Optional ones are a pointer, an optional, an empty tensor or DType::kInvalid; `any`
// and `shape` stay an Arg.
template <class Parameter>
decltype(auto) argument_as(const Arg& a) {
  using T = std::remove_cvref_t<Parameter>;
  if constexpr (std::is_same_v<T, Arg>) return (a);
  else if constexpr (std::is_same_v<T, Tensor>) return tensor_or_none(a);
  else if constexpr (std::is_same_v<T, bool>) return flag(a);
  else if constexpr (std::is_same_v<T, int64_t>) return integer(a);
  else if constexpr (std::is_same_v<T, double>) return real(a);
  else if constexpr (std::is_same_v<T, DType>) return dtype_or_none(a);
  else if constexpr (std::is_same_v<T, std::string>) return text(a);
  else if constexpr (std::is_same_v<T, const std::string*>) return std::get_if<std::string>(&a.value);
  else if constexpr (std::is_same_v<T, Ints>) return integers(a);
  else if constexpr (std::is_same_v<T, std::vector<Tensor>>) return tensors(a);
  else return a.none() ? T{} : T{argument_as<typename T::value_type>(a)};
}

void check_count(Args, size_t parameters);       // throws unless there are as many arguments as parameters

// A composite written with C++ parameters, in the order of their text and with `name` last, adapted for the table:
// {"nn.moments", "x: tensor, axes: ints, shift: any = None, keepdims: bool = False, name: str? = None", bind<moments>}
// for Arg moments(const Tensor& x, const Ints& axes, const Arg& shift, bool keepdims, std::string_view name).
template <class... P, size_t... k>
Arg call_with(Arg (*function)(P...), Args args, std::string_view name, std::index_sequence<k...>) {
  check_count(args, sizeof...(k));
  return function(argument_as<std::tuple_element_t<k, std::tuple<P...>>>(args[k])..., name);
}
template <class... P>
Arg call_with(Arg (*function)(P...), Args args, std::string_view name) {
  return call_with(function, args, name, std::make_index_sequence<sizeof...(P) - 1>());
}
template <auto function>
Arg bind(Args args, std::string_view name) { return call_with(function, args, name); }

// A constant of the graph as `tf.constant` makes it; in eager the value itself.
Tensor constant(const Tensor& value, std::string_view name = {});

// A public function that is one op: its parameters are the op's inputs.
Arg apply_to(const OpRow&, Args inputs, std::string_view name);
template <Literal op_name, Literal default_name = "">
Arg one_op(Args args, std::string_view name) {
  return apply_to(op_named<op_name>().row(), args, name_or(name, default_name.text));
}

}  // namespace footlight::composite

#define FL_PUBLIC(family)                                        \
  static std::vector<PublicDef> family##_functions();            \
  static const PublicFamily family##_family{family##_functions}; \
  static std::vector<PublicDef> family##_functions()
