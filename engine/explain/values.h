// What the recorded values of a call say: which node made the first NaN and the first infinity, from what, and where
// they spread.
#pragma once

#include "engine/base/number_text.h"
#include "engine/session/records.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace footlight::explain {

// Null: the recording does not know it.
using FindNode = std::function<const session::NodeRecord*(GraphId, NodeId)>;

int64_t infinities(const session::TensorValue& value);
int64_t not_finite(const session::TensorValue& value);  // NaN too
// How many elements were kept, and one of them.
int64_t kept_elements(const session::TensorValue& value);
double kept_element(const session::TensorValue& value, int64_t index);  // of a complex one the magnitude
bool is_complex(const session::TensorValue& value);
enum class ComplexPart : uint8_t { kReal, kImaginary };
double kept_part(const session::TensorValue& value, int64_t index, ComplexPart part);
// What the kept elements hold in one of their two parts; NaN where none is finite.
struct PartFigures {
  double minimum = session::kNoNumber, maximum = minimum, mean = minimum;
  int64_t nan = 0, infinity = 0;
};
PartFigures figures_of(const session::TensorValue& value, ComplexPart part);

// "8, 64, 32" of "(8, 64, 32)"; of what has no sizes nothing.
std::vector<int64_t> sizes_of_value(const session::TensorValue& value);
// "[3, 41, 17]" of an element; "the value" of a scalar.
std::string place_text(std::span<const int64_t> sizes, int64_t index);
// "0.25", "NaN", "-Inf"
using footlight::number_text;
// "12 NaN, 3 -Inf"; empty: all are finite.
std::string non_finite_text(const session::TensorValue& value);

// "loss/Log", "split:1"; the node's number if the recording does not know it.
std::string value_name(const FindNode& nodes, const session::TensorValue& value);
// Why a value holds NaN or infinity: "Log(0) is -Inf", "x held NaN when the call began".
std::string why_not_finite(const FindNode& nodes, const session::TensorValue& value);
// The same, where what its inputs hold may say more; `all`: the values of the same call.
std::string why_not_finite(const FindNode& nodes, const session::TensorValue& value,
                           std::span<const session::TensorValue> all);

struct NumericsStory {
  const session::CallValues* call = nullptr;
  const session::TensorValue* first_nan = nullptr;       // null: no value of the call held one
  const session::TensorValue* first_infinity = nullptr;
  std::vector<const session::TensorValue*> spread;       // all that hold NaN, or else infinity, as they got it
  size_t with_nan = 0, with_infinity = 0;                // how many values
  const session::TensorValue* infinity_origin = nullptr;  // of which the first NaN was made; null: not known
  // Where to look first: the infinity that the first NaN was made of, if it can be no other; else that NaN.
  const session::TensorValue* cause() const;
};
NumericsStory story_of(const session::CallValues& call);
// The same; of several infinities before the first NaN, that one is the origin which alone reached the NaN's node.
NumericsStory story_of(const session::CallValues& call, const FindNode& nodes);
// The same, except that a constant is not to blame: one that holds an infinity is a mask, and calls without NaN had it.
const session::TensorValue* to_blame(const FindNode& nodes, const NumericsStory& story);

// "The first NaN comes from loss/mul: Mul(0, -Inf) is NaN, in 12 of 16,384 elements."; or what else there is to say.
std::string story_text(const FindNode& nodes, const NumericsStory& story);

// How many calls were searched, of all functions; rows of many are left out.
uint64_t searched_calls(std::span<const session::CheckedCall> all);

// The calls of a function that were checked.
struct CheckedCalls {
  uint64_t calls = 0;                  // how many were checked
  uint64_t first_nan = 0, first_infinity = 0;  // the calls; 0: none
  std::vector<const session::CheckedCall*> rows;
};
CheckedCalls checked_calls(std::span<const session::CheckedCall> all, FunctionId function);
// "The results and variables of 400 calls were searched after each call. ..."; empty: nothing was checked.
std::string checked_text(const CheckedCalls& checked);

}  // namespace footlight::explain
