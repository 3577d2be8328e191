// Tensors as readable text for cases: `f32[2,2]{1 2 3 4}`, `i32{5}`, `str[2]{"a" "b"}`, `c64{1:2}`.
#pragma once

#include "engine/ops/row.h"

#include <string>
#include <string_view>
#include <vector>

namespace footlight::testing {

// Reads the words of a case line; throws std::runtime_error that says what is wrong.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}
  bool done();
  bool next_is(std::string_view word);
  bool take(std::string_view word);
  std::string word();
  Tensor tensor();

 private:
  void skip_spaces();
  std::string_view rest_;
};

std::string to_text(const Tensor&);

// Whether dtype, shape and elements are equal; floats within `tolerance`, relative and absolute; NaN equals NaN.
bool equal(const Tensor& got, const Tensor& wanted, double tolerance);

struct Case {
  std::string line;  // the line as written, for messages
  std::string op;
  std::vector<Tensor> inputs;
  Attrs attrs;
  std::vector<Tensor> outputs;
  std::string error_kind;               // instead of outputs
  std::vector<std::string> error_says;  // texts that the message must contain
};

Case parse_case(const std::string& line);
// All cases in the files of a folder; `#` begins a comment.
std::vector<Case> read_cases(const std::string& folder);

}  // namespace footlight::testing
