// How a record is described, once: a static member function `describe(fields)` that names every column with
// its meaning. SQL, log rows, chunk columns, the reading of older and newer files and the printed page follow
// from it.
#pragma once

#include "engine/base/ids.h"

#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace footlight::session {

// What a description may add to a column's name and meaning.
struct Note {
  const char* unit = "";          // "ns", "bytes"
  int since = 1;                  // the version of the schema that added it
  const char* formerly = "";      // its name in older files
  bool of_process = false;        // a bare number that is counted per process, as ids are (InSession)
  const char* column = "value";   // column name of a list of plain values
};

// A table of its own: `static constexpr TableNote kTable{"function", "A traced function."}` in the record. Nested types
// have none: their list names the table.
struct TableNote {
  const char* name = "";
  const char* meaning = "";
  int since = 1;
};

// What a description tells a visitor; each visitor overrides what it needs.
//
//   static void describe(auto& f) {
//     f.id("id", &R::id, "number of the function");                  // other tables name the row by it
//     f.column("name", &R::name, "its __qualname__");
//     f.list("function_parameter", &R::parameters, "...", {.column = "name"});  // a table of its own
//     f.former("python_ns", 2, [](R& r, int64_t v) { ... });         // only files up to version 2 have it
//     f.duration("duration_ns", &R::end_ns, &R::start_ns, "...");    // chunks: the end as its distance to the start
//   }
struct Fields {
  template <class R, class M>
  void id(const char*, M R::*, const char*, Note = {}) {}
  template <class R, class M>
  void column(const char*, M R::*, const char*, Note = {}) {}
  template <class R, class M>
  void duration(const char*, M R::*, M R::*, const char*, Note = {}) {}
  template <class R, class E>
  void list(const char*, std::vector<E> R::*, const char*, Note = {}) {}
  template <class Set>
  void former(const char*, int, Set&&) {}
};

template <class T>
concept Described = requires(Fields& f) { T::describe(f); };
template <class T>
concept HasTable = requires { T::kTable; };

// The names of an enumeration's values are found by overload: std::span<const char* const> enumerators(TraceReason).

// Bytes that are not text.
struct Blob { std::string bytes; };

// --- Ids of several processes in one session ----------------------------------------------------------------------
// Every process counts its functions, traces, calls and so on from 0. In a session, the highest 8 bits of such an id
// hold the number of the process, so that writers need not coordinate. Other ids count within something else: nodes
// within their graph.
template <class Id>
constexpr bool kCountsInProcess = false;

constexpr uint32_t kMaxProcesses = 255;  // the last number is reserved for invalid ids

template <class Int>
constexpr int kProcessShift = static_cast<int>(sizeof(Int)) * 8 - 8;
template <class Int>
constexpr Int kMaxInProcess = (Int{1} << kProcessShift<Int>)-1;

// Converts the ids that a process gave to ids in the session. Without a process: they come from a session already.
class InSession {
 public:
  constexpr InSession() = default;
  constexpr explicit InSession(uint32_t process) : process_(process) {}
  // The ids come from a session whose process 0 is that number in another one, into which it is merged.
  static constexpr InSession merged_at(uint32_t first_process) { return InSession(first_process | kMerged); }
  constexpr uint32_t process() const { return process_; }
  // The number of a process; of the writing one, if `given` is none.
  constexpr uint32_t process(uint32_t given) const {
    if (given == kNone) return process_ == kNone || is_merged() ? kNone : process_;
    return is_merged() ? given + (process_ & ~kMerged) : given;
  }

  template <class Tag, class Int>
  constexpr Int operator()(Id<Tag, Int> id) const {
    if constexpr (kCountsInProcess<Id<Tag, Int>>) {
      if (id.valid()) return number(id.value);
    }
    return id.value;
  }
  // A bare number.
  template <class Int>
  constexpr Int number(Int value) const {
    if (process_ == kNone) return value;
    if (is_merged()) {
      const Int process = (value >> kProcessShift<Int>) + Int{process_ & ~kMerged};
      return process >= kMaxProcesses ? static_cast<Int>(-1)
                                      : (value & kMaxInProcess<Int>) | process << kProcessShift<Int>;
    }
    return value > kMaxInProcess<Int> ? static_cast<Int>(-1) : value | Int{process_} << kProcessShift<Int>;
  }

 private:
  static constexpr uint32_t kNone = static_cast<uint32_t>(-1), kMerged = 1u << 31;
  constexpr bool is_merged() const { return process_ != kNone && (process_ & kMerged) != 0; }
  uint32_t process_ = kNone;
};

}  // namespace footlight::session
