// The waterfall and the table in columns of characters.
#include "engine/explain/compare/text.h"
#include "engine/explain/words.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>

namespace footlight::explain {
namespace {

constexpr size_t kBar = 40;
constexpr size_t kMaxRows = 60;

// Characters as a terminal shows them, not bytes.
size_t width(const std::string& text) {
  return static_cast<size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string left(std::string text, size_t columns) {
  if (width(text) < columns) text.append(columns - width(text), ' ');
  return text;
}
std::string right(const std::string& text, size_t columns) {
  return std::string(width(text) < columns ? columns - width(text) : 0, ' ') + text;
}

std::string cut(const std::string& text, size_t columns) {
  if (width(text) <= columns) return text;
  size_t at = 0, seen = 0;
  while (at < text.size() && ((text[at] & 0xc0) == 0x80 || seen++ < columns - 1)) ++at;
  return text.substr(0, at) + "…";
}

// The clock counts whole nanoseconds: of ops that took less than one each it only tells that they did.
std::string time_of_ops(double ns, uint64_t count) {
  return count > 1 && ns < static_cast<double>(count) ? "<" + time_text(static_cast<double>(count)) : time_text(ns);
}

std::string signed_time(double ns) { return (ns > 0 ? "+" : "") + time_text(ns); }

// A bar from one level to another, of `whole`.
std::string bar(double from, double to, double whole) {
  const auto column = [&](double value) {
    const double share = whole > 0 ? std::clamp(value / whole, 0.0, 1.0) : 0;
    return static_cast<size_t>(std::lround(share * static_cast<double>(kBar)));
  };
  const size_t low = column(std::min(from, to)), high = column(std::max(from, to));
  return std::string(low, ' ') + std::string(std::max<size_t>(high - low, 1), to < from ? '-' : '+');
}

std::string waterfall(const Comparison& c) {
  double whole = std::max(c.eager.total.mean, c.traced.total.mean), level = c.eager.total.mean;
  for (const Part& part : c.parts) whole = std::max(whole, level += part.difference.mean);
  std::string out;
  const auto line = [&](const std::string& name, const std::string& time, const std::string& drawn,
                        const std::string& more) {
    std::string text = "  " + left(name, 18) + right(time, 11) + "  " + left(drawn, kBar + 1) + more;
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  };
  const auto whole_bar = [&](double total) {
    std::string text = bar(0, total, whole);
    std::ranges::replace(text, '+', '#');
    return text;
  };
  const auto range = [](const Spread& s) {
    return s.p5 == s.p95 ? "" : "p5 " + time_text(s.p5) + ", p95 " + time_text(s.p95);
  };
  line(c.eager.name, time_text(c.eager.total.mean), whole_bar(c.eager.total.mean), range(c.eager.total));
  level = c.eager.total.mean;
  for (const Part& part : c.parts) {
    line(part.name, signed_time(part.difference.mean), bar(level, level + part.difference.mean, whole),
         range(part.difference));
    level += part.difference.mean;
    for (const Part& one : part.joined) line("  " + one.name, signed_time(one.difference.mean), "", "");
  }
  line(c.traced.name, time_text(c.traced.total.mean), whole_bar(c.traced.total.mean), range(c.traced.total));
  return out;
}

std::string place_text(const session::Reader& reader, const Line& line) {
  const session::FileRecord* file = line ? reader.file(line.file) : nullptr;
  if (!file) return "";
  return std::filesystem::path(file->path).filename().string() + ":" + std::to_string(line.line);
}

std::string table(const session::Reader& reader, const Comparison& c) {
  const std::string left_ops = c.recorded ? c.eager.name : "eager ops";
  const std::string right_ops = c.recorded ? c.traced.name : "graph nodes";
  const auto place = [&](const Row& row) { return c.recorded ? row.place : place_text(reader, row.at); };
  size_t wide = 19, nodes_wide = 25;
  for (size_t i = 0; i < std::min(c.rows.size(), kMaxRows); ++i)
    wide = std::clamp(width(place(c.rows[i])), wide, size_t{36});
  for (size_t i = 0; i < std::min(c.rows.size(), kMaxRows); ++i)
    nodes_wide = std::clamp(width(c.rows[i].graph_nodes), nodes_wide, size_t{40});
  std::string out = "  " + left("line", wide + 1) + left(cut(left_ops, 25), 26) + right("time", 9) + "  " +
                    left(cut(right_ops, nodes_wide), nodes_wide + 1) + right("time", 9) + right("difference", 12) +
                    "  group\n";
  for (size_t i = 0; i < std::min(c.rows.size(), kMaxRows); ++i) {
    const Row& row = c.rows[i];
    out += "  " + left(cut(place(row), wide), wide + 1) + left(cut(row.eager_ops, 25), 26) +
           right(row.eager_count ? time_of_ops(row.eager.mean, row.eager_count) : "", 9) + "  " +
           left(cut(row.graph_nodes, nodes_wide), nodes_wide + 1) +
           right(row.traced_count ? time_of_ops(row.traced.mean, row.traced_count) : "", 9) +
           right(row.has_difference() ? signed_time(row.difference.mean) : "", 12) +
           "  " + name_of(row.group) + (row.why.empty() ? "" : ", " + row.why) + "\n";
  }
  if (c.rows.size() > kMaxRows) out += "  and " + with_commas(c.rows.size() - kMaxRows) + " more rows\n";
  return out;
}

std::string known_text(const Comparison& c) {
  char within[64] = "";
  if (c.known_within > 0 && c.known_within < 1)
    std::snprintf(within, sizeof within, "; the difference is known within %.1f %%", c.known_within * 100);
  return within;
}

std::string notes_text(const Comparison& c) {
  std::string out;
  for (const std::string& note : c.notes) out += "Note: " + note + "\n";
  return out;
}

std::string recorded_text(const session::Reader& reader, const Comparison& c) {
  std::string out = c.title + "\n" + sentence_of(c) + "\n";
  if (c.eager.total.p5 != c.eager.total.p95 || c.traced.total.p5 != c.traced.total.p95)
    out += "Means of the middle half of " + with_commas(c.eager.calls) + " and " + with_commas(c.traced.calls) +
           " recorded calls" + known_text(c) + ".\n";
  out += recording_of(c) + "\n" + notes_text(c);
  if (!c.parts.empty()) out += "\n" + waterfall(c) + "\n" + table(reader, c);
  return out;
}

}  // namespace

std::string text_of(const session::Reader& reader, const Comparison& c) {
  if (c.recorded) return recorded_text(reader, c);
  std::string out = c.name + ", arguments of call " + with_commas(c.call);
  const session::Reader::SourcePlace place = reader.place(c.source);
  const std::string at = place_text(reader, {place.file, place.line});
  out += (at.empty() ? "" : " (" + at + ")") + "\n" + sentence_of(c) + "\n";
  if (const std::string worth = worth_of(c); !worth.empty()) out += worth + "\n";
  if (c.pairs) {
    out += with_commas(c.pairs) + " pairs of calls, " + with_commas(c.pairs_with_events) +
           " of them recorded, after " + with_commas(c.warm_up) + " to warm up" + known_text(c) +
           ". It stopped because " + c.stopped + ".\n";
    out += recording_of(c) + "\n";
  }
  if (!c.error.empty() && c.pairs) out += "A repetition failed: " + c.error + "\n";
  if (c.simulated) out += "The device is simulated.\n";
  out += notes_text(c);
  if (c.eager.lost + c.traced.lost)
    out += "Note: " + with_commas(c.eager.lost + c.traced.lost) +
           " marks were lost, and their time is unexplained.\n";
  if (!c.parts.empty()) out += "\n" + waterfall(c) + "\n" + table(reader, c);
  return out;
}

}  // namespace footlight::explain
