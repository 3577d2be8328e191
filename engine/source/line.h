// What stands on one line of Python: names, what it defines and assigns, calls with their arguments.
#pragma once

#include "engine/source/lexer.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace footlight::source {

// A text without the blanks around it.
std::string_view trimmed(std::string_view text);
std::string_view without_comment(std::string_view line);

// "step" of "async def step(x):"; empty where the line defines no function.
std::string_view defined_function(std::string_view line);
// Whether a function or a class may be defined on the line: a decorator is a part of a definition, and what an empty
// line stands for is not known.
bool is_definition(std::string_view line);

// Returns the line of a text with this number, counted from 1; empty if the text is shorter.
std::string_view line_at(std::string_view text, int number);

// Whether a name stands on the line, alone or before its attributes.
bool has_name(std::string_view line, std::string_view name);
// "self.index", "TABLE": the names with their attributes, without what is called, keywords and texts.
std::vector<std::string> names_in(std::string_view line);
// Whether the line gives the name a value: `name = ...`, `a, name = ...`, `for name in ...`.
bool assigns(std::string_view line, std::string_view name);
// How many more brackets the line opens than it closes.
int brackets_opened(std::string_view line);

// Finds the next call of `callee` from `at` on and returns where its arguments begin; npos if nothing calls it. A
// definition is no call.
size_t find_call(std::string_view line, std::string_view callee, size_t at = 0);
// The arguments from `at` to the closing parenthesis; nothing if that is not in the text.
std::optional<std::vector<std::string_view>> arguments_from(std::string_view text, size_t at);
// "rate" of the argument "rate=0.1"; empty if it has no keyword.
std::string_view keyword_of(std::string_view argument);

// "functools.reduce": the first call on this line that runs a Python function or an operator once for each item of a
// sequence, or an empty name. "tf.reduce_sum(" and "df.sum(" do not count. `arguments`: where they begin in the line.
std::string iterating_call(std::string_view line, size_t* arguments = nullptr);
// From "lambda" to the bracket or comma that ends it. Empty where the line has several, or it goes on below.
std::string_view lambda_text(std::string_view line);

}  // namespace footlight::source
