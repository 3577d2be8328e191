// Values of the tensors of one call, node by node; and which calls were checked for NaN and infinity. Conclusions are
// in engine/explain/values.h.
#pragma once

#include "engine/session/records/ids.h"

#include <limits>

namespace footlight::session {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

// An element that is no finite number.
struct ValuePlace {
  int64_t index = 0;
  std::string value, inputs;

  static void describe(auto& f) {
    using R = ValuePlace;
    f.column("element", &R::index, "its position, counted row by row");
    f.column("value", &R::value, "NaN, +Inf or -Inf");
    f.column("inputs", &R::inputs, "what the inputs hold at this position: \"0, -Inf\"; empty: it is none of theirs");
  }
};

// One value of a node. A node that runs several times has the figures of the run that gave the first NaN, else of the
// one that gave the first infinity, else of the last.
struct TensorValue {
  GraphId graph;
  NodeId node;
  uint32_t output = 0;
  uint64_t order = 0, at = 0, first_nan = 0, first_infinity = 0;
  uint64_t runs = 0, run = 0;
  bool input_nan = false, input_infinity = false;
  std::string dtype, shape;
  int64_t elements = 0, nan = 0, positive_infinity = 0, negative_infinity = 0, zeros = 0;
  double minimum = kNoNumber, maximum = kNoNumber, mean = kNoNumber, deviation = kNoNumber;
  std::vector<uint64_t> bins = {};
  uint32_t width = 0;
  Blob data = {};
  std::vector<ValuePlace> places = {};

  static void describe(auto& f) {
    using R = TensorValue;
    f.column("graph", &R::graph, "that holds the node");
    f.column("node", &R::node, "whose value it is");
    f.column("output", &R::output, "which of its values");
    f.column("first_step", &R::order, "the step of the call in which it ran first; steps count from 1");
    f.column("step", &R::at, "the step whose figures these are");
    f.column("nan_step", &R::first_nan, "the first step that gave a NaN; 0: none did");
    f.column("infinity_step", &R::first_infinity, "the first step that gave an infinity; 0: none did");
    f.column("runs", &R::runs, "how often it ran");
    f.column("run", &R::run, "which of these the figures are of, from 1");
    f.column("input_nan", &R::input_nan, "1: an input held a NaN in that step");
    f.column("input_infinity", &R::input_infinity, "1: an input held an infinity in that step");
    f.column("dtype", &R::dtype, "float32");
    f.column("shape", &R::shape, "(8, 64, 32)");
    f.column("elements", &R::elements, "how many there are");
    f.column("nan", &R::nan, "how many are NaN");
    f.column("positive_infinity", &R::positive_infinity, "how many are +Inf");
    f.column("negative_infinity", &R::negative_infinity, "how many are -Inf");
    f.column("zeros", &R::zeros, "how many are 0");
    f.column("minimum", &R::minimum, "of those that are finite");
    f.column("maximum", &R::maximum, "of those that are finite");
    f.column("mean", &R::mean, "of those that are finite");
    f.column("deviation", &R::deviation, "the standard deviation of those that are finite");
    f.column("bins", &R::bins, "how many finite ones lie in each of equal parts from the minimum to the maximum");
    f.column("width", &R::width, "bytes of each kept element: 4 is a float32, 8 a float64; 0: none was kept");
    f.column("data", &R::data, "the elements, row by row; the first ones where there is no room for all");
    f.list("value_place", &R::places, "An element that is no finite number; the first ones of each value.",
           {.since = 3});
  }
};

enum class ValuesReason : uint8_t { kAsked, kFirstNan, kFirstInfinity };
constexpr const char* kValuesReasons[] = {"asked", "first NaN", "first infinity"};
constexpr std::span<const char* const> enumerators(ValuesReason) { return kValuesReasons; }

// A call that was run again node by node.
struct CallValues {
  FunctionId function;
  TraceId trace;
  uint64_t call = 0;
  SourceRef source = {};
  ValuesReason reason = ValuesReason::kAsked;
  bool same_results = false;
  std::string error;
  int64_t start_ns = 0, end_ns = 0;
  std::vector<TensorValue> values = {};
  std::vector<std::string> notes = {};
  ValuesId id = {};  // none: the writer assigns one

  static constexpr TableNote kTable{
      "call_values", "A call that was run again node by node to see what its tensors hold.", 3};
  static void describe(auto& f) {
    using R = CallValues;
    f.id("id", &R::id, "its number");
    f.column("function", &R::function, "that was called");
    f.column("trace", &R::trace, "that served the call");
    f.column("call", &R::call, "which call: from 1, among those of the function");
    f.column("source", &R::source, "code object and instruction of the call");
    f.column("reason", &R::reason, "why: it was asked for, or results of it held the first NaN or infinity");
    f.column("same_results", &R::same_results, "1: node by node it gave the same results, bit by bit, as the whole");
    f.column("error", &R::error, "class and message, where it failed");
    f.column("start_ns", &R::start_ns, "when it began", {.unit = "ns"});
    f.column("end_ns", &R::end_ns, "when it ended", {.unit = "ns"});
    f.list("tensor_value", &R::values, "What a node of the call gave.", {.since = 3});
    f.list("call_values_note", &R::notes, "What to know about it, in words.", {.since = 3, .column = "note"});
  }
};

// A call whose results and variables were searched for NaN and infinity. Of a function's calls, each up to kEachUpTo
// has a row; those after them have one for each hundred.
struct CheckedCall {
  static constexpr uint64_t kEachUpTo = 10'000;

  FunctionId function;
  TraceId trace;
  uint64_t call = 0;
  int64_t values = 0, nan = 0, infinity = 0;
  double result = kNoNumber;
  int64_t time_ns = 0;

  static constexpr TableNote kTable{
      "checked_call", "A call whose results, and the variables it uses, were searched for NaN and infinity.", 3};
  static void describe(auto& f) {
    using R = CheckedCall;
    f.column("function", &R::function, "that was called");
    f.column("trace", &R::trace, "that served the call");
    f.column("call", &R::call, "which call: from 1, among those of the function");
    f.column("checked", &R::values, "how many results and variables were searched");
    f.column("nan", &R::nan, "how many elements were NaN");
    f.column("infinity", &R::infinity, "how many elements were infinite");
    f.column("result", &R::result, "its first result that is one number");
    f.column("time_ns", &R::time_ns, "when it was checked", {.unit = "ns"});
  }
};

}  // namespace footlight::session
