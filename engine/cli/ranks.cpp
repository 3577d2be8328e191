// `footlight ranks`: which process of a merged recording was late, at which collective, and why.
#include "engine/cli/ranks.h"

#include "engine/base/markdown_text.h"
#include "engine/cli/commands.h"
#include "engine/cli/json.h"
#include "engine/cli/text.h"
#include "engine/query/late_ranks.h"

#include <cstdio>

namespace footlight::cli {
namespace {

constexpr size_t kShownGroups = 12;

std::string ms(int64_t ns) {
  char text[40];
  std::snprintf(text, sizeof text, "%.3f", static_cast<double>(ns) / 1e6);
  return text;
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
  out.add("collective", query::collective_name(ranks.collectives[worst.collective]));
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
    out += "\n| late | why | where | count | worst, ms | others waited, ms |\n|---|---|---|--:|--:|--:|\n";
    for (size_t i = 0; i < ranks.groups.size() && i < kShownGroups; ++i) {
      const query::LateGroup& group = ranks.groups[i];
      const bool explained = ranks.late[group.worst].explained;
      out += "| " + query::process_name(reader.contents(), group.process) + " | " +
             (explained ? query::kRankWorkNames[static_cast<size_t>(group.why)] : "not explained") + " | " +
             markdown_words(group.where, true) + " | " + std::to_string(group.count) + " | " + ms(group.worst_ns) +
             " | " + ms(group.waited_ns) + " |\n";
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
  for (size_t i = 1; i < found.groups.size() && i < kShownGroups; ++i)
    std::printf("%s\n", printable_lines(valid_text(query::sentence(found, *reader, found.groups[i]))).c_str());
  for (const std::string& missing : found.missing) std::printf("Note: %s\n", printable_lines(missing).c_str());
  return 0;
}

}  // namespace footlight::cli
