// What a person reads first of an error: its message without what libraries put around it, and the innermost line of
// the person's own code. The text may be a Python traceback, the error of a trace ("in user code: ...") or of a node.
#pragma once

#include <string>
#include <string_view>

namespace footlight {

struct ErrorWords {
  std::string message;  // "ValueError: Matrix size-incompatible: In[0]: [4,3], ..."
  std::string file;     // of the innermost line; empty: the text names none of the person's
  int line = 0;

  std::string place() const;  // "layers.py:5"
  std::string text() const;   // "ValueError: Matrix size-incompatible: ... at layers.py:5"
};

ErrorWords error_words(std::string_view text);
// The last traceback in what a program printed, and what follows; empty if it printed none.
std::string_view last_traceback(std::string_view text);

// `text` in at most `most` bytes: its beginning, and its place at the end if it has one.
std::string shortened_error(std::string_view text, size_t most);

// False for what belongs to Python, to an installed package or to this one, and for code that has no file.
bool is_users_file(std::string_view path);

}  // namespace footlight
