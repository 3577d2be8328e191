// Fixes as edits of one line of the user's source.
#pragma once

#include "engine/explain/findings.h"

namespace footlight::explain {

// Whether the line is in a file of the program, which its author can edit, and not in a library's.
bool is_own(const Evidence& evidence, const Line& line);

// How calls pass a parameter: kPlain where the definition is not known.
enum class ParameterKind : uint8_t { kPlain, kKeywordOnly, kStarred, kDoubleStarred };
ParameterKind parameter_kind(const Evidence& evidence, const FunctionRun& run, std::string_view parameter);

// Whether the call at this instruction gives the parameter a value; where it does not, the default holds. kUnknown: its
// line does not show the call, or shows several of which not all were made, or passes arguments with `*`.
enum class Written : uint8_t { kYes, kNo, kUnknown };
Written is_written(const Evidence& evidence, const FunctionRun& run, SourceRef call, const std::string& path,
                   const std::string& parameter);

// The line of the finding with the argument at its path written as `before` + argument + `after`. No edit if the line
// does not show the call, or shows it twice, or the argument is not one whole argument of it.
Finding::Edit wrap_argument(const Evidence& evidence, const FunctionRun& run, const Finding& finding,
                            std::string_view before, std::string_view after);
// The line of the decorator with these options in its parentheses; no edit if it has options already.
Finding::Edit add_options(const Evidence& evidence, const FunctionRun& run, std::string_view options);
// `line` makes the argument at the path of the finding: the same there, where it assigns the value to a single name
// that the finding's line passes, or passes it to the function around that line. No edit if it is no such line, or the
// value goes on in the next one.
Finding::Edit wrap_value(const Evidence& evidence, const FunctionRun& run, const Finding& finding, const Line& line,
                         std::string_view before, std::string_view after);

// The text of a file with the edit made; empty if the line is not what it was.
std::string apply_edit(const std::string& text, const Finding::Edit& edit);
// The same with several edits of one file, which may be of one line; empty if two of them change the same words.
std::string apply_edits(const std::string& text, std::span<const Finding::Edit> edits);
// One edit that does what two edits of the same line do; none if they change the same words.
Finding::Edit both_edits(const Finding::Edit& first, const Finding::Edit& second);

}  // namespace footlight::explain
