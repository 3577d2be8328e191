// The statements around a line of a Python source, by their indentation: sessions have the text of files.
#pragma once

#include "engine/explain/evidence.h"

#include <functional>
#include <string_view>

namespace footlight::explain {

// The innermost line around this one whose text, without indentation, `wanted` accepts; none: line 0. Only lines that
// are indented less than all between are asked.
Line enclosing(const Evidence& evidence, Line line, const std::function<bool(std::string_view head)>& wanted);

}  // namespace footlight::explain
