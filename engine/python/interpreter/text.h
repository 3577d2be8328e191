// Python strings as UTF-8, and back. A str may contain lone surrogates, which UTF-8 cannot encode: each function says
// how it treats them.
#pragma once

#include "engine/python/interpreter/exceptions.h"

#include <string>
#include <string_view>

namespace footlight::python {

// A str that the engine interprets (a name, a path, an attribute): borrowed from it, null-terminated. Throws
// UnicodeEncodeError for lone surrogates and TypeError if it is not a str.
std::string_view utf8(PyObject* text);

// A str for a message: lone surrogates are written as in '\ud800'.
std::string readable(PyObject* text);

// A str as a key: different texts have different bytes, which are UTF-8 where there are no lone surrogates.
std::string distinct_utf8(PyObject* text);

// repr(object) and str(object) for a message; the name of the class if the object's own code fails.
std::string repr_of(PyObject* object);
std::string str_of(PyObject* object);

// str() of the current exception, which is cleared; "" without one. Rethrows KeyboardInterrupt and SystemExit.
std::string take_message();

// A new str; invalid UTF-8 becomes U+FFFD.
Ref text_object(std::string_view utf8);

}  // namespace footlight::python
