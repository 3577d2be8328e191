// Finds arguments and decorators in a line of Python.
#include "engine/explain/edits.h"

#include "engine/base/error_words.h"
#include "engine/explain/outlines.h"
#include "engine/source/line.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <optional>
#include <set>

namespace footlight::explain {
namespace {

// The part of a line's text that an edit changes, and what it becomes.
struct Span {
  size_t begin = 0, end = 0;
  std::string text;
};

Span span_of(std::string_view was, std::string_view is, size_t at) {
  const size_t least = std::min(was.size(), is.size());
  size_t front = 0, back = 0;
  while (front < least && was[front] == is[front]) ++front;
  while (back < least - front && was[was.size() - 1 - back] == is[is.size() - 1 - back]) ++back;
  return {at + front, at + was.size() - back, std::string(is.substr(front, is.size() - front - back))};
}

// Empty if two spans overlap.
std::string with_spans(std::string text, std::vector<Span> spans) {
  std::ranges::sort(spans, std::greater(), &Span::begin);
  for (size_t i = 0; i < spans.size(); ++i) {
    const Span& span = spans[i];
    if (i && (span.end > spans[i - 1].begin || span.begin == spans[i - 1].begin)) return {};
    text.replace(span.begin, span.end - span.begin, span.text);
  }
  return text;
}

}  // namespace

bool is_own(const Evidence& evidence, const Line& line) {
  const auto& files = evidence.records().files;
  const auto file = std::ranges::find(files, line.file, &session::FileRecord::id);
  return file != files.end() && is_users_file(file->path);
}

namespace {

struct Parameter {
  std::string name;
  ParameterKind kind = ParameterKind::kPlain;
};

// The parameters of the function that is defined from this line on; none if the definition is not found there.
std::vector<Parameter> parameters_from(const Evidence& evidence, const Line& line) {
  constexpr int kMaxLines = 24;
  std::vector<Parameter> all;
  std::string definition;
  size_t open = definition.npos;
  for (int i = 0; i < kMaxLines; ++i) {
    definition += source::without_comment(evidence.text({line.file, line.line + i}));
    definition += ' ';
    if (open == definition.npos) open = definition.find('(', std::min(definition.find("def "), definition.size()));
    if (open == definition.npos) continue;
    const auto parameters = source::arguments_from(definition, open + 1);
    if (!parameters) continue;
    bool starred = false;
    for (std::string_view one : *parameters) {
      one = source::trimmed(one);
      const size_t stars = std::min(one.find_first_not_of('*'), one.size());
      one.remove_prefix(stars);
      all.push_back({std::string(one.substr(0, one.find_first_of(" :="))),
                     stars == 1 ? ParameterKind::kStarred
                     : stars    ? ParameterKind::kDoubleStarred
                     : starred  ? ParameterKind::kKeywordOnly
                                : ParameterKind::kPlain});
      starred |= stars > 0;
    }
    return all;
  }
  return all;
}

}  // namespace

ParameterKind parameter_kind(const Evidence& evidence, const FunctionRun& run, std::string_view parameter) {
  if (!run.record) return ParameterKind::kPlain;
  const std::vector<Parameter> all = parameters_from(evidence, {run.record->file, run.record->line});
  const auto found = std::ranges::find(all, parameter, &Parameter::name);
  return found == all.end() ? ParameterKind::kPlain : found->kind;
}

namespace {

// The argument of a call, as the line writes it.
struct FoundArgument {
  Written written = Written::kUnknown;
  size_t at = 0, size = 0;  // its place in the line, if it is written
  bool whole = false;       // the path names the whole argument, not a part of it
};

// The argument that the call whose arguments begin at `open` gives to the parameter, which is the one at `position`.
FoundArgument argument_at(std::string_view text, size_t open, const Parameter& parameter, size_t position) {
  FoundArgument found;
  const auto arguments = source::arguments_from(text, open);
  if (!arguments) return found;
  if (parameter.kind == ParameterKind::kStarred || parameter.kind == ParameterKind::kDoubleStarred) return found;
  for (size_t i = 0; i < arguments->size(); ++i) {
    std::string_view argument = source::trimmed((*arguments)[i]);
    if (argument.starts_with('*')) return found;
    if (const std::string_view keyword = source::keyword_of(argument); !keyword.empty()) {
      if (keyword != parameter.name) continue;
      argument = source::trimmed(argument.substr(argument.find('=') + 1));
    } else if (parameter.kind == ParameterKind::kKeywordOnly || i != position) {
      continue;
    }
    return {Written::kYes, static_cast<size_t>(argument.data() - text.data()), argument.size(), true};
  }
  found.written = Written::kNo;
  return found;
}

// Where the arguments of each call of `callee` begin, in the order in which the calls end, as their instructions stand.
std::vector<size_t> calls_of(std::string_view text, std::string_view callee) {
  std::vector<std::pair<const char*, size_t>> calls;
  for (size_t open = source::find_call(text, callee); open != text.npos;
       open = source::find_call(text, callee, open)) {
    const auto arguments = source::arguments_from(text, open);
    const char* const end = text.data() + text.size();
    calls.emplace_back(arguments ? arguments->back().data() + arguments->back().size() : end, open);
  }
  std::ranges::sort(calls);
  std::vector<size_t> opens;
  for (const auto& [end, open] : calls) opens.push_back(open);
  return opens;
}

// The same of the only call of `callee` in the text.
FoundArgument argument_of(std::string_view text, std::string_view callee, const Parameter& parameter,
                          size_t position) {
  const std::vector<size_t> calls = calls_of(text, callee);
  return calls.size() == 1 ? argument_at(text, calls[0], parameter, position) : FoundArgument();
}

// The place of a call among those of its line, by their instructions; none if other code of the line calls too, or if
// not all of the `calls` were made.
std::optional<size_t> place_in_line(const Evidence& evidence, const FunctionRun& run, SourceRef call, size_t calls) {
  const Line line = evidence.line(call);
  std::set<uint32_t> offsets;
  for (const FunctionRun::Step& step : run.steps) {
    if (evidence.line(step.source) != line) continue;
    if (step.source.code != call.code) return {};
    offsets.insert(step.source.offset);
  }
  if (offsets.size() != calls) return {};
  return static_cast<size_t>(std::distance(offsets.begin(), offsets.find(call.offset)));
}

// `call`: which one of several in the line; none: there is only one.
FoundArgument find_argument(const Evidence& evidence, const FunctionRun& run, const Line& line,
                            const std::string& path, const std::string& parameter, SourceRef call = {}) {
  FoundArgument found;
  const std::string_view text = evidence.text(line);
  constexpr std::string_view kStart = "args[";
  if (text.empty() || !run.record || !path.starts_with(kStart)) return found;
  size_t index = 0;
  const char* const end = path.data() + path.size();
  const auto read = std::from_chars(path.data() + kStart.size(), end, index);
  if (read.ptr == end || *read.ptr != ']') return found;
  const auto& parameters = run.record->parameters;
  const bool method = !parameters.empty() && parameters[0] == "self" && index > 0;
  const std::vector<size_t> calls = calls_of(text, last_name(run.record->name));
  std::optional<size_t> place;
  if (calls.size() == 1) place = 0;
  else if (call.code.valid()) place = place_in_line(evidence, run, call, calls.size());
  if (!place || *place >= calls.size()) return found;
  found = argument_at(text, calls[*place], {parameter, parameter_kind(evidence, run, parameter)}, index - method);
  found.whole = read.ptr + 1 == end;
  return found;
}

// The line with the argument written as `before` + argument + `after`.
Finding::Edit wrap(const Line& line, std::string_view text, const FoundArgument& argument, std::string_view before,
                   std::string_view after) {
  std::string changed(text);
  changed.insert(argument.at + argument.size, after);
  changed.insert(argument.at, before);
  return {line, std::string(source::trimmed(text)), std::string(source::trimmed(changed))};
}

}  // namespace

Written is_written(const Evidence& evidence, const FunctionRun& run, SourceRef call, const std::string& path,
                   const std::string& parameter) {
  return find_argument(evidence, run, evidence.line(call), path, parameter, call).written;
}

Finding::Edit wrap_argument(const Evidence& evidence, const FunctionRun& run, const Finding& finding,
                            std::string_view before, std::string_view after) {
  const FoundArgument found = find_argument(evidence, run, finding.line, finding.path, finding.parameter);
  if (found.written != Written::kYes || !found.whole) return {};
  return wrap(finding.line, evidence.text(finding.line), found, before, after);
}

Finding::Edit add_options(const Evidence& evidence, const FunctionRun& run, std::string_view options) {
  const Line line = evidence.definition(run);
  const std::string_view text = source::trimmed(evidence.text(line));
  for (const std::string_view bare : {"@tf.function", "@tf.function()", "@tensorflow.function"})
    if (text == bare)
      return {line, std::string(text), std::string(text.substr(0, text.find('('))) + '(' + std::string(options) + ')'};
  return {};
}

Finding::Edit wrap_value(const Evidence& evidence, const FunctionRun& run, const Finding& finding, const Line& line,
                         std::string_view before, std::string_view after) {
  const FoundArgument used = find_argument(evidence, run, finding.line, finding.path, finding.parameter);
  if (used.written != Written::kYes || !used.whole) return {};
  const std::string_view argument = evidence.text(finding.line).substr(used.at, used.size);
  const std::string_view text = source::trimmed(evidence.text(line));
  size_t end = 0;
  while (end < text.size() && source::in_name(text[end])) ++end;
  if (!source::has_name(argument, text.substr(0, end))) {
    // What the line assigns is not what is passed. It may be passed to the function around the call.
    Outlines outlines(evidence);
    const source::Function* const around = outlines.of(finding.line.file).innermost(finding.line.line);
    if (!around) return {};
    const std::vector<Parameter> all = parameters_from(evidence, {finding.line.file, around->line});
    const auto parameter = std::ranges::find(all, argument, &Parameter::name);
    if (parameter == all.end()) return {};
    const bool method = all.front().name == "self" || all.front().name == "cls";
    const FoundArgument passed =
        argument_of(text, around->name, *parameter, static_cast<size_t>(parameter - all.begin()) - method);
    return passed.written == Written::kYes ? wrap(line, text, passed, before, after) : Finding::Edit();
  }
  if (end == 0 || text.substr(end, 3) != " = " || text.find('#') != text.npos) return {};
  const std::string_view value = source::trimmed(text.substr(end + 3));
  // One whole expression: with a parenthesis behind it, it ends as the only argument of a call.
  const std::string closed = std::string(value) + ')';
  const auto arguments = source::arguments_from(closed, 0);
  if (value.empty() || !arguments || arguments->size() != 1 || arguments->front().size() != value.size()) return {};
  return {line, std::string(text),
          std::string(text.substr(0, end + 3)) + std::string(before) + std::string(value) + std::string(after)};
}

std::string apply_edit(const std::string& text, const Finding::Edit& edit) {
  return apply_edits(text, std::span(&edit, 1));
}

std::string apply_edits(const std::string& text, std::span<const Finding::Edit> edits) {
  std::vector<Span> spans;
  for (const Finding::Edit& edit : edits) {
    size_t begin = 0;
    for (int line = 1; line < edit.at.line; ++line) {
      begin = text.find('\n', begin);
      if (begin++ == text.npos) return {};
    }
    const size_t at = text.find(edit.old_text, begin);
    if (at == text.npos || at > std::min(text.find('\n', begin), text.size())) return {};
    spans.push_back(span_of(edit.old_text, edit.new_text, at));
  }
  return with_spans(text, std::move(spans));
}

Finding::Edit both_edits(const Finding::Edit& first, const Finding::Edit& second) {
  if (!first.at || first.at != second.at || first.old_text != second.old_text) return {};
  std::string both = with_spans(first.old_text, {span_of(first.old_text, first.new_text, 0),
                                                 span_of(second.old_text, second.new_text, 0)});
  return both.empty() ? Finding::Edit() : Finding::Edit{first.at, first.old_text, std::move(both)};
}

}  // namespace footlight::explain
