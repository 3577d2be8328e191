// One statement of an FX graph's code, or one line of its list of nodes, taken apart.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace footlight::foreign {

enum class FxKind : uint8_t {
  kNone,       // it makes no node
  kAlias,      // "l_x_ = L_x_": another name for a value
  kInput,
  kAttribute,  // "w = self.weight"
  kCall,       // of a function, method, module or operator
  kReturn,
};

struct FxStatement {
  FxKind kind = FxKind::kNone;
  std::string_view name;        // of the value
  std::string type;             // "float32 (4, 8)"; empty: not said
  std::string op;               // "add.Tensor", "linear"; of an attribute its path
  std::string_view value;       // the expression, in which values are named; of an alias the other name
  std::vector<std::pair<std::string, std::string_view>> arguments;  // "dim" or "argument 1", and the expression
};

// "add: "f32[4, 8]" = torch.ops.aten.add.Tensor(a, 1);  a = None"
FxStatement fx_statement(std::string_view line);
// "%add : [num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%a, 1), kwargs = {})"
FxStatement fx_listed(std::string_view line);
// ""f32[4, 8][8, 1]cuda:0"" -> "float32 (4, 8)".
std::string fx_type_text(std::string_view annotation);
// The names in an expression that may be values, in their order.
std::vector<std::string_view> fx_names(std::string_view expression);

}  // namespace footlight::foreign
