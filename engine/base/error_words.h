// Finds what a person should read first of an error: the message without a library's frames, and the innermost line of
// the person's own code. The text may be a Python traceback, a trace's error ("in user code: ...") or a node's.
#pragma once

#include <string>
#include <string_view>

namespace footlight {

struct ErrorWords {
  std::string message;  // "ValueError: Matrix size-incompatible: In[0]: [4,3], ..."
  std::string file;     // file of the innermost line; empty: the text names none of the person's files
  int line = 0;

  std::string place() const;  // "layers.py:5"
  std::string text() const;   // "ValueError: Matrix size-incompatible: ... at layers.py:5"
};

ErrorWords error_words(std::string_view text);
// The last traceback in what a program printed, and what follows; empty if it printed none.
std::string_view last_traceback(std::string_view text);

// Shortens `text` to `most` bytes: its beginning, then its place if it has one.
std::string shortened_error(std::string_view text, size_t most);

// False for files of Python, of installed packages and of this one, and for code without a file.
bool is_users_file(std::string_view path);

}  // namespace footlight
