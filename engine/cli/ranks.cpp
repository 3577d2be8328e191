// `footlight ranks`: which process of a merged recording was late, at which collective, and why.
#include "engine/cli/ranks.h"

#include "engine/base/markdown_text.h"
#include "engine/cli/commands.h"
#include "engine/cli/json.h"
#include "engine/cli/text.h"
#include "engine/cli/text_columns.h"
#include "engine/query/late_ranks.h"

#include <algorithm>
#include <cstdio>

namespace footlight::cli {
namespace {

constexpr size_t kShownGroups = 12, kSaidGroups = 3;

std::string ms(int64_t ns) {
  char text[40];
  std::snprintf(text, sizeof text, "%.3f", static_cast<double>(ns) / 1e6);
  return text;
}

std::string why_words(const query::LateArrival& late) {
  return late.explained ? query::kRankWorkNames[static_cast<size_t>(late.why)] : "not explained";
}

bool has_ranks(const query::Ranks& ranks) { return !ranks.collectives.empty() || !ranks.missing.empty(); }

std::string works_json(const std::array<int64_t, query::kRankWorks>& works) {
  JsonObject out;
  for (size_t i = 0; i < works.size(); ++i) out.raw(query::kRankWorkNames[i], ms(works[i]));
  return out.inline_();
}

std::string group_json(const session::Reader& reader, const query::Ranks& ranks, const query::LateGroup& group) {
  const query::LateArrival& worst = ranks.late[group.worst];
  const session::ProcessRecord* const process = reader.process(group.process);
  JsonObject out;
  out.add("process", query::process_name(reader.contents(), group.process));
  out.add("rank", process ? process->rank : 0);
  out.add("why", query::kRankWorkNames[static_cast<size_t>(group.why)]).add("where", group.where);
  out.add("explained", worst.explained).add("count", group.count);
  out.raw("worst_ms", ms(group.worst_ns)).raw("waited_ms", ms(group.waited_ns));
  const query::Collective& collective = ranks.collectives[worst.collective];
  out.add("collective", query::collective_name(collective)).add("bytes", collective.bytes);
  out.add("line", query::line_of(ranks, reader, worst));
  out.raw("own_ms", works_json(worst.own)).raw("others_ms", works_json(worst.others));
  return out.add("sentence", query::sentence(ranks, reader, group)).inline_();
}

}  // namespace

std::string ranks_json(const session::Reader& reader) {
  const query::Ranks ranks = query::find_late_ranks(reader);
  std::vector<std::string> groups, each, missing;
  for (const query::LateGroup& group : ranks.groups) groups.push_back(group_json(reader, ranks, group));
  for (const query::RankSums& rank : ranks.ranks)
    each.push_back(JsonObject()
                       .add("process", query::process_name(reader.contents(), rank.process))
                       .add("collectives", rank.collectives)
                       .add("last", rank.last)
                       .raw("waited_ms", ms(rank.waited_ns))
                       .add("traces", rank.traces)
                       .inline_());
  for (const std::string& words : ranks.missing) missing.push_back(json_text(words));
  JsonObject out;
  out.add("verdict", query::verdict(ranks, reader)).add("collectives", uint64_t{ranks.collectives.size()});
  out.raw("noise_ms", ms(ranks.noise_ns)).raw("waited_ms", ms(ranks.waited_ns)).raw("took_ms", ms(ranks.took_ns));
  return out.raw("ranks", json_list(each)).raw("late", json_list(groups)).raw("missing", json_list(missing)).inline_();
}

std::string ranks_markdown(const session::Reader& reader) {
  if (reader.contents().processes.size() < 2) return {};
  const query::Ranks ranks = query::find_late_ranks(reader);
  if (!has_ranks(ranks)) return {};
  std::string out = "\n## Ranks\n\n" + markdown_words(query::verdict(ranks, reader)) + "\n";
  for (const std::string& words : ranks.missing) out += "\nIncomplete: " + markdown_words(words) + ".\n";
  if (!ranks.groups.empty()) {
    out += "\n| late | why | where | count | worst, ms | others waited, ms | line |\n|---|---|---|--:|--:|--:|---|\n";
    for (size_t i = 0; i < ranks.groups.size() && i < kShownGroups; ++i) {
      const query::LateGroup& group = ranks.groups[i];
      const query::LateArrival& worst = ranks.late[group.worst];
      out += "| " + query::process_name(reader.contents(), group.process) + " | " + why_words(worst) + " | " +
             markdown_words(group.where, true) + " | " + std::to_string(group.count) + " | " + ms(group.worst_ns) +
             " | " + ms(group.waited_ns) + " | " + markdown_words(query::line_of(ranks, reader, worst), true) +
             " |\n";
    }
    if (ranks.groups.size() > kShownGroups)
      out += "\n" + std::to_string(ranks.groups.size() - kShownGroups) + " more are in `footlight ranks --json`.\n";
  }
  if (!ranks.ranks.empty()) {
    out += "\n| process | collectives | last to come | waited, ms | traces |\n|---|--:|--:|--:|--:|\n";
    for (const query::RankSums& rank : ranks.ranks)
      out += "| " + query::process_name(reader.contents(), rank.process) + " | " + std::to_string(rank.collectives) +
             " | " + std::to_string(rank.last) + " | " + ms(rank.waited_ns) + " | " + std::to_string(rank.traces) +
             " |\n";
  }
  return out;
}

std::string ranks_html(const session::Reader& reader, std::string (*escape)(std::string_view)) {
  if (reader.contents().processes.size() < 2) return {};
  const query::Ranks ranks = query::find_late_ranks(reader);
  if (!has_ranks(ranks)) return {};
  std::string out = "<h2>Ranks</h2><p>" + escape(query::verdict(ranks, reader)) + "</p>";
  for (const std::string& words : ranks.missing) out += "<p class=\"dim\">Incomplete: " + escape(words) + ".</p>";
  const auto cell = [](const std::string& text, bool is_number) {
    return (is_number ? "<td class=\"n\">" : "<td>") + text + "</td>";
  };
  if (!ranks.groups.empty()) {
    out += "<table><tr><th>Late</th><th>Why</th><th>Where</th><th>Worst at</th><th>Line</th><th class=\"n\">Count</th>"
           "<th class=\"n\">Worst, ms</th><th class=\"n\">Others waited, ms</th></tr>";
    for (size_t i = 0; i < ranks.groups.size() && i < kShownGroups; ++i) {
      const query::LateGroup& group = ranks.groups[i];
      const query::LateArrival& worst = ranks.late[group.worst];
      out += "<tr>" + cell(escape(query::process_name(reader.contents(), group.process)), false) +
             cell(why_words(worst), false) + cell("<code>" + escape(group.where) + "</code>", false) +
             cell(escape(query::collective_name(ranks.collectives[worst.collective])), false) +
             cell("<code>" + escape(query::line_of(ranks, reader, worst)) + "</code>", false) +
             cell(std::to_string(group.count), true) + cell(ms(group.worst_ns), true) +
             cell(ms(group.waited_ns), true) + "</tr>";
    }
    out += "</table>";
  }
  if (ranks.ranks.empty()) return out;
  out += "<table><tr><th>Process</th><th class=\"n\">Collectives</th><th class=\"n\">Last to come</th>"
         "<th class=\"n\">Waited, ms</th><th class=\"n\">Traces</th></tr>";
  for (const query::RankSums& rank : ranks.ranks)
    out += "<tr>" + cell(escape(query::process_name(reader.contents(), rank.process)), false) +
           cell(std::to_string(rank.collectives), true) + cell(std::to_string(rank.last), true) +
           cell(ms(rank.waited_ns), true) + cell(std::to_string(rank.traces), true) + "</tr>";
  return out + "</table>";
}

namespace {

// Columns as wide as what is in them; numbers, of which the first is in column `numbers_from`, stand on the right.
void print_table(const std::vector<std::vector<std::string>>& rows, size_t numbers_from) {
  std::vector<size_t> widths(rows.front().size());
  for (const auto& row : rows)
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns_of(row[i]));
  for (const auto& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string room(widths[i] - columns_of(row[i]), ' ');
      line += (i ? "  " : "") + (i >= numbers_from ? room + row[i] : row[i] + room);
    }
    line.resize(line.find_last_not_of(' ') + 1);
    std::printf("%s\n", line.c_str());
  }
}

void print_tables(const session::Reader& reader, const query::Ranks& found) {
  const auto text = [](const std::string& words) { return printable(valid_text(words)); };
  std::vector<std::vector<std::string>> rows{
      {"late", "why", "where", "worst at", "line", "count", "worst, ms", "others waited, ms"}};
  for (size_t i = 0; i < found.groups.size() && i < kShownGroups; ++i) {
    const query::LateGroup& group = found.groups[i];
    const query::LateArrival& worst = found.late[group.worst];
    rows.push_back({text(query::process_name(reader.contents(), group.process)), why_words(worst), text(group.where),
                    text(query::collective_name(found.collectives[worst.collective])),
                    text(query::line_of(found, reader, worst)), std::to_string(group.count), ms(group.worst_ns),
                    ms(group.waited_ns)});
  }
  if (rows.size() > 1) std::printf("\n"), print_table(rows, 5);
  if (found.groups.size() > kShownGroups)
    std::printf("%zu more are in --json.\n", found.groups.size() - kShownGroups);
  rows = {{"process", "collectives", "last to come", "waited, ms", "traces"}};
  for (const query::RankSums& rank : found.ranks)
    rows.push_back({text(query::process_name(reader.contents(), rank.process)), std::to_string(rank.collectives),
                    std::to_string(rank.last), ms(rank.waited_ns), std::to_string(rank.traces)});
  if (rows.size() > 1) std::printf("\n"), print_table(rows, 1);
}

}  // namespace

int ranks(const Words& words) {
  std::string file;
  bool json = false;
  for (const std::string& word : words) {
    if (word == "--json") json = true;
    else if (file.empty() && (word.empty() || word[0] != '-')) file = word;
    else return complain("ranks: unknown option '" + word + "'; usage: `footlight ranks FILE [--json]`");
  }
  if (file.empty()) return complain("ranks needs a merged recording; usage: `footlight ranks FILE [--json]`");
  const auto reader = session::Reader::open(file);
  if (reader->contents().processes.size() < 2)
    return complain(file + " holds one process. `footlight merge` puts the recordings of several together");
  if (json) {
    std::printf("%s\n", ranks_json(*reader).c_str());
    return 0;
  }
  const query::Ranks found = query::find_late_ranks(*reader);
  std::printf("%s\n", printable_lines(valid_text(query::verdict(found, *reader))).c_str());
  for (size_t i = 1; i < found.groups.size() && i < kSaidGroups; ++i)
    std::printf("%s\n", printable_lines(valid_text(query::sentence(found, *reader, found.groups[i]))).c_str());
  for (const std::string& missing : found.missing) std::printf("Note: %s\n", printable_lines(missing).c_str());
  print_tables(*reader, found);
  return 0;
}

}  // namespace footlight::cli
