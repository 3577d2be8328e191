// Conversion of one function: control flow on values that may be tensors becomes calls into the runtime, which decides
// while tracing. Two styles: a lean tree that is executed, and the readable form that TensorFlow's users know.
#pragma once

#include "engine/autograph/tree.h"

#include <functional>
#include <string>
#include <vector>

namespace footlight::autograph {

// lean       if x > 0:          ->   if (test_ := x > 0) in ag__.to_stage:
//              y = 1
//                                      def if_body(): nonlocal y; y = 1
//                                      ag__.if_stmt(test_, if_body, None, ('y',), 1)
//                                    elif test_: y = 1
// readable   the same with FunctionScope, get_state, set_state, else_body, do_return, ag__.ld and ag__.converted_call
enum class Style : uint8_t { kLean, kReadable };

struct Options {
  Style style = Style::kLean;
  bool recursive = true;  // calls go through the runtime, which converts the callee
  bool recorded = false;  // lean: whether decisions about each statement are recorded
  int deepest = 1000;     // how deep statements may be nested; early returns nest what follows them
  bool late = false;      // lean: whether staged forms are in Conversion::late
  // Lean, without what follows: where functions inside begin that stand as they were written (Conversion::written_at).
  std::vector<uint64_t> written_at = {};
  // Lean: whether what a global of this name is meets tensors. Loops that it does not exclude stand as written, too;
  // functions inside that are called in loops or call themselves stand so alone.
  std::function<bool(const std::string&)> leads_out = nullptr;
};

// The fate of one of the user's statements.
struct Fate {
  uint32_t line = 0, last_line = 0;
  std::string kind;  // "if", "while", "for", "function"
  std::string fate;  // "staged": decided while tracing; "python": always Python; "fallback": would be staged
                     // if it could
  std::string note;
};

struct Conversion {
  Node* function = nullptr;  // FunctionDef or Lambda, or for a readable lambda its assignment; null: see reason
  std::string reason;        // why the whole function was not converted
  std::vector<Fate> statements;
  // Functions with the staged forms of statements, for the host to compile when one is needed; a call of ag__.late
  // names one and passes the arguments. They share the variables of the function with that call.
  std::vector<Node*> late;
  std::vector<const Node*> late_in;  // owner of their variables: equal for all of a function
  // Functions inside that stand as they were written: the runtime converts them where they are called, if need be.
  std::vector<const Node*> written;
  std::vector<uint64_t> written_at;
  uint32_t comprehensions = 0;
  uint64_t steps = 0;        // nodes and statements visited over all passes; grows linearly with the function
};

Conversion convert(Tree& tree, Node* function, const Options& options = {});

// Names under which the lean tree reaches the runtime: free variables that no program can have, for they contain a dot.
namespace runtime_name {
inline constexpr std::string_view kIf = "ag__.if_stmt";
inline constexpr std::string_view kWhile = "ag__.while_stmt";
inline constexpr std::string_view kFor = "ag__.for_stmt";
inline constexpr std::string_view kCall = "ag__.converted_call";
inline constexpr std::string_view kMethod = "ag__.method_call";
inline constexpr std::string_view kIfExp = "ag__.if_exp";
inline constexpr std::string_view kAnd = "ag__.and_";
inline constexpr std::string_view kOr = "ag__.or_";
inline constexpr std::string_view kNot = "ag__.not_";
inline constexpr std::string_view kUndefinedReturn = "ag__.undefined_return";
inline constexpr std::string_view kReturn = "ag__.ret";
inline constexpr std::string_view kRaising = "ag__.raising";
inline constexpr std::string_view kDepth = "ag__.depth";
inline constexpr std::string_view kAsserted = "ag__.asserted";
inline constexpr std::string_view kComprehension = "ag__.comprehension";
inline constexpr std::string_view kKept = "ag__.kept";
inline constexpr std::string_view kItems = "ag__.items";
inline constexpr std::string_view kAppend = "ag__.append";
inline constexpr std::string_view kStaged = "ag__.staged";
inline constexpr std::string_view kToStage = "ag__.to_stage";
inline constexpr std::string_view kTurns = "ag__.turns";
inline constexpr std::string_view kTracing = "ag__.tracing";
inline constexpr std::string_view kPlain = "ag__.plain";
inline constexpr std::string_view kForever = "ag__.forever";
inline constexpr std::string_view kLate = "ag__.late";
inline constexpr std::string_view kContained = "ag__.contained";
inline constexpr std::string_view kNumbers = "ag__.numbers";
inline constexpr std::string_view kDecided = "ag__.decided";
inline constexpr std::string_view kPrefix = "ag__.";
inline constexpr std::string_view kAll[] = {kIf, kWhile, kFor, kCall, kMethod, kIfExp, kAnd, kOr, kNot,
                                            kUndefinedReturn, kReturn, kRaising, kAsserted, kComprehension, kKept,
                                            kItems, kAppend, kStaged, kTurns, kTracing, kDepth, kPlain, kForever,
                                            kLate, kContained, kNumbers, kToStage, kDecided};
}  // namespace runtime_name

}  // namespace footlight::autograph
