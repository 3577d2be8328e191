// Texts of Python as UTF-8, and back. A str may hold lone surrogates, which UTF-8 has no bytes for: each function says
// what it does about them.
#pragma once

#include "engine/python/interpreter/exceptions.h"

#include <string>
#include <string_view>

namespace footlight::python {

// A str that is to mean something to the engine (a name, a path, an attribute): borrowed from it, with a 0 behind the
// end. Throws on lone surrogates (Python's UnicodeEncodeError) and on what is no str (its TypeError).
std::string_view utf8(PyObject* text);

// A str for a message: lone surrogates are written as in '\ud800'.
std::string readable(PyObject* text);

// A str as a key: different texts have different bytes, which are UTF-8 where there are no lone surrogates.
std::string distinct_utf8(PyObject* text);

// repr(object) and str(object) for a message. Of an object whose own code fails, its class is told instead.
std::string repr_of(PyObject* object);
std::string str_of(PyObject* object);

// str() of the exception that is set, which is cleared; "" when there is none. KeyboardInterrupt and SystemExit are
// thrown on.
std::string take_message();

// A new str; bytes that are no UTF-8 become U+FFFD.
Ref text_object(std::string_view utf8);

}  // namespace footlight::python
