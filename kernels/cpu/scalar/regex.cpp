// Kernels that match regular expressions. RE2 says what a pattern means. A pattern that is one character or one class,
// like "[0-9]" or "\s+", is then applied byte by byte: asking RE2 for every single match takes ten times as long.
#include "kernels/cpu/elements.h"
#include "kernels/cpu/scalar/strings.h"

#include <array>
#include <map>
#include <memory>
#include <mutex>

#include <re2/re2.h>

namespace footlight::FL_ISA {

namespace {

constexpr auto npos = std::string_view::npos;

// The end of the class at the start of a valid pattern.
size_t end_of_class(std::string_view pattern) {
  size_t i = pattern.starts_with("[^") ? 2 : 1;
  for (const size_t first = i; i < pattern.size(); ++i) {
    if (pattern[i] == '\\') ++i;
    else if (pattern.substr(i, 2) == "[:") i = std::min(pattern.find(":]", i), pattern.size()) + 1;
    else if (pattern[i] == ']' && i > first) return i + 1;
  }
  return npos;
}

// The character or class of a valid pattern that consists of it alone, or of it and a "+"; empty for other patterns.
std::string_view only_character(std::string_view pattern) {
  size_t end = 1;
  if (pattern.starts_with('[')) end = end_of_class(pattern);
  else if (pattern.starts_with('\\')) end = pattern.find_first_of("dDsSwW.+*?()[]{}|^$\\-/", 1) == 1 ? 2 : npos;
  else if (pattern.find_first_of(".+*?()]{}|^$") == 0) end = npos;
  const bool only = end <= pattern.size() && (pattern.substr(end).empty() || pattern.substr(end) == "+");
  return only ? pattern.substr(0, end) : std::string_view();
}

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 128; });
}

class Regex {
 public:
  explicit Regex(const std::string& pattern) : re2_(pattern, RE2::Quiet) {
    if (!re2_.ok()) invalid("Invalid pattern: ", pattern, ", error: ", re2_.error());
    const std::string_view character = only_character(pattern);
    if (character.empty()) return;
    const RE2 one{std::string(character), RE2::Quiet};
    for (size_t c = 0; c < matches_.size(); ++c) {
      const char text[] = {static_cast<char>(c)};
      matches_[c] = RE2::FullMatch(re2::StringPiece(text, 1), one);
    }
    one_character_ = one.ok();
    run_ = character.size() < pattern.size();
  }

  bool full_match(const std::string& text) const { return RE2::FullMatch(text, re2_); }

  std::string replaced(const std::string& text, const std::string& rewrite, bool all) const {
    if (one_character_ && rewrite.find('\\') == npos && is_ascii(text)) return bytes_replaced(text, rewrite, all);
    std::string out = text;
    if (all) RE2::GlobalReplace(&out, re2_, rewrite);
    else RE2::Replace(&out, re2_, rewrite);
    return out;
  }

 private:
  bool matches(char c) const { return matches_[static_cast<unsigned char>(c)]; }

  std::string bytes_replaced(const std::string& text, const std::string& rewrite, bool all) const {
    std::string out;
    out.reserve(text.size());
    for (size_t i = 0; i < text.size();) {
      if (!matches(text[i])) {
        out += text[i++];
        continue;
      }
      for (++i; run_ && i < text.size() && matches(text[i]);) ++i;
      out += rewrite;
      if (!all) return out.append(text, i, npos);
    }
    return out;
  }

  RE2 re2_;
  bool one_character_ = false;  // the pattern matches one character, or, with run_, one or more
  bool run_ = false;
  std::array<bool, 128> matches_{};  // whether each ASCII character is in the class
};

// Cache of compiled patterns: the same few are used again and again.
std::shared_ptr<const Regex> regex_of(const std::string& pattern) {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<const Regex>> known;
  const std::lock_guard lock(mutex);
  if (const auto found = known.find(pattern); found != known.end()) return found->second;
  auto made = std::make_shared<const Regex>(pattern);
  if (known.size() == 64) known.clear();
  known.emplace(pattern, made);
  return made;
}

void regex_replace(KernelContext& c) {
  const bool is_static = c.inputs.size() == 1;
  const auto regex = regex_of(is_static ? c.attrs.get<std::string>("pattern"_attr) : *c.in<std::string>(1));
  const std::string rewrite = is_static ? c.attrs.get<std::string>("rewrite"_attr) : *c.in<std::string>(2);
  const bool all = c.attrs.get_or("replace_global"_attr, true);
  const std::string* in = c.in<std::string>(0);
  std::string* out = c.out<std::string>();
  for_strings(c.outputs[0].elements(), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) out[i] = regex->replaced(in[i], rewrite, all);
  });
}

void regex_full_match(KernelContext& c) {
  const auto regex =
      regex_of(c.inputs.size() == 1 ? c.attrs.get<std::string>("pattern"_attr) : *c.in<std::string>(1));
  const std::string* in = c.in<std::string>(0);
  bool* out = c.out<bool>();
  for_strings(c.outputs[0].elements(), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) out[i] = regex->full_match(in[i]);
  });
}

}  // namespace

FL_CPU_KERNELS {
  constexpr uint32_t kText = bit_of(DType::kString);
  on_cpu("RegexReplace", kText, regex_replace);
  on_cpu("StaticRegexReplace", kText, regex_replace);
  on_cpu("RegexFullMatch", kText, regex_full_match);
  on_cpu("StaticRegexFullMatch", kText, regex_full_match);
}

}  // namespace footlight::FL_ISA
