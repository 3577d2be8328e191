// Names sides, aligns their lines and ops, and adds up what each has of every part.
#include "engine/explain/compare/recorded.h"

#include "engine/base/errors.h"
#include "engine/explain/compare/align.h"
#include "engine/explain/compare/recorded_side.h"
#include "engine/explain/compare/text.h"
#include "engine/explain/words.h"
#include "engine/session/other_engines.h"
#include "engine/session/run_times.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <set>

namespace footlight::explain {
namespace {

using Kind = Recorded::Kind;

std::string times(uint64_t count, const std::string& name) {
  return count > 1 ? std::to_string(count) + " x " + name : name;
}

const char* kind_words(Kind kind) {
  switch (kind) {
    case Kind::kRecording: return "a whole recording";
    case Kind::kFunction: return "all calls of a function";
    default: return "single calls";
  }
}

// Throws kNotFound if the side names a function that its recording does not have.
void check_function(const RecordedSide& side) {
  if (side.what.kind != Kind::kRecording) function_named(side);
}

void check_kinds(const Recorded& left, const Recorded& right) {
  const auto unit = [](Kind kind) { return kind == Kind::kCall ? Kind::kTrace : kind; };
  if (unit(left.kind) == unit(right.kind)) return;
  throw Error(ErrorKind::kValue,
              std::string(kind_words(left.kind)) + " and " + kind_words(right.kind) +
                  " are not comparable: name a recording, a function, or a trace or call on both sides");
}

// --- lines ---------------------------------------------------------------------------------------------------------

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

// Brings both sides' lines into one order.
class Lines {
 public:
  Lines(const RecordedSide& left, const RecordedSide& right) : left_(left.reader), right_(right.reader) {
    if (&left_ == &right_) return;
    size_t seen = 0;
    for (const session::FileRecord& r : right_.contents().files) {
      if (++seen > kMaxFiles) break;
      if (const session::FileRecord* l = left_file(r)) {
        left_of_[r.id] = l->id;
        right_of_[l->id] = r.id;
      }
    }
  }

  struct At {
    bool only_right = false;       // a file that the left side does not have
    session::FileId file;
    LineMap::At line;
    friend auto operator<=>(const At&, const At&) = default;
  };
  At of_left(const Line& at) const { return {false, at.file, {at.line, 0}}; }
  At of_right(const Line& at) const {
    if (&left_ == &right_) return of_left(at);
    const auto file = left_of_.find(at.file);
    if (file == left_of_.end()) return {at.file.valid(), at.file, {at.line, 0}};
    return {false, file->second, map_of(at.file).of_right(at.line)};
  }
  // Lines of one change may have become each other. None: the line is in both, or its file in one alone.
  struct Change {
    session::FileId file;
    int number = -1;
    explicit operator bool() const { return number >= 0; }
    friend auto operator<=>(const Change&, const Change&) = default;
  };
  Change change_of_left(const Line& at) const {
    const auto right = right_of_.find(at.file);
    return right == right_of_.end() ? Change{} : Change{at.file, map_of(right->second).change_of_left(at.line)};
  }
  Change change_of_right(const Line& at) const {
    const auto file = left_of_.find(at.file);
    return file == left_of_.end() ? Change{} : Change{file->second, map_of(at.file).change_of_right(at.line)};
  }

 private:
  static constexpr size_t kMaxFiles = 2000;

  const LineMap& map_of(session::FileId right) const {
    const auto at = maps_.find(right);
    if (at != maps_.end()) return at->second;
    return maps_.emplace(right, LineMap(left_.file(left_of_.at(right))->text, right_.file(right)->text)).first->second;
  }

  // The file with the same path; for the script itself the other script; else the only file of that name.
  const session::FileRecord* left_file(const session::FileRecord& right) const {
    const std::string &left_script = left_.contents().run.script, &right_script = right_.contents().run.script;
    const session::FileRecord* found = nullptr;
    size_t count = 0, seen = 0;
    for (const session::FileRecord& f : left_.contents().files) {
      if (++seen > kMaxFiles) break;
      if (f.path == right.path || (f.path == left_script && right.path == right_script)) return &f;
      if (file_name(f.path) == file_name(right.path)) found = &f, ++count;
    }
    return count == 1 && !right_of_.contains(found->id) ? found : nullptr;
  }

  const session::Reader &left_, &right_;
  std::map<session::FileId, session::FileId> left_of_, right_of_;
  mutable std::map<session::FileId, LineMap> maps_;   // by the right file, made when they are asked for
};

std::string file_of(const session::Reader& reader, const Line& line) {
  const session::FileRecord* file = line ? reader.file(line.file) : nullptr;
  return file ? file_name(file->path) + ":" : "";
}

std::string place_text(const RecordedSide& left, const RecordedSide& right, const Row& row) {
  const std::string before = file_of(left.reader, row.at), after = file_of(right.reader, row.right_at);
  const std::string arrow = " → ";
  if (!row.right_at) return row.at ? before + std::to_string(row.at.line) : "";
  const std::string here = std::to_string(row.right_at.line);
  if (!row.at) return (&left.reader == &right.reader ? "" : arrow.substr(1)) + after + here;
  const auto is_script = [](const session::Reader& reader, const Line& line) {
    const session::FileRecord* file = reader.file(line.file);
    return file && file->path == reader.contents().run.script;
  };
  // Two versions of a script, of which only the name differs at this line.
  const bool is_same_line = row.at.line == row.right_at.line && is_script(left.reader, row.at) &&
                            is_script(right.reader, row.right_at);
  if (before == after || is_same_line)
    return before + std::to_string(row.at.line) + (row.at.line == row.right_at.line ? "" : arrow + here);
  return before + std::to_string(row.at.line) + arrow + after + here;
}

// --- rows ----------------------------------------------------------------------------------------------------------

// What of one side belongs to a row: eager ops and nodes of an op on a line, in all graphs.
struct Half {
  Line at;
  std::string op;
  std::vector<size_t> places;
  uint64_t ran = 0, first = UINT64_MAX, bytes = 0, flops = 0;
  bool eager = false, in_graph = false;
  std::string function;
  std::set<std::string> names;
  std::vector<session::NodeOrigin> nodes;
};

using Halves = std::map<std::pair<Lines::At, std::string>, Half>;

Halves halves_of(const RecordedRuns& runs, const std::function<Lines::At(const Line&)>& at) {
  constexpr size_t kMaxNodes = 64;
  Halves made;
  for (size_t i = 0; i < runs.places().size(); ++i) {
    const PlaceRan& place = runs.places()[i];
    Half& half = made[{at(place.at), place.op.empty() ? "unknown" : place.op}];
    half.at = place.at;
    half.op = place.op.empty() ? "unknown" : place.op;
    half.places.push_back(i);
    half.ran += place.ran;
    half.first = std::min(half.first, place.first);
    half.bytes += place.bytes;
    half.flops += place.flops;
    (place.in_graph ? half.in_graph : half.eager) = true;
    if (half.function.empty()) half.function = place.function;
    if (half.names.size() < 2) half.names.insert(place.names.begin(), place.names.end());
    if (half.nodes.size() < kMaxNodes) half.nodes.insert(half.nodes.end(), place.nodes.begin(), place.nodes.end());
  }
  // By run, rounded: calls of one trace may turn a loop differently often.
  const auto runs_made = std::max<uint64_t>(1, runs.runs().size());
  for (auto& [key, half] : made) {
    for (uint64_t* number : {&half.ran, &half.bytes, &half.flops}) *number = (*number + runs_made / 2) / runs_made;
  }
  return made;
}

struct Both {
  const Half *left = nullptr, *right = nullptr;
  bool moved = false;   // ops in the same order, on other lines
  bool edited = false;  // those are the lines of one change between two versions of a file
};

// Halves that are alone and have the same op, in order, among the lines of one change or in two whole functions.
void pair_the_rest(std::vector<Both>& rows, const Lines& lines, bool other_functions) {
  std::map<Lines::Change, std::pair<std::vector<size_t>, std::vector<size_t>>> alone;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].left && rows[i].right) continue;
    const bool left = rows[i].left;
    Lines::Change change = left ? lines.change_of_left(rows[i].left->at) : lines.change_of_right(rows[i].right->at);
    if (other_functions) change = {session::FileId(), 0};
    if (!change) continue;
    (left ? alone[change].first : alone[change].second).push_back(i);
  }
  for (auto& [change, sides] : alone) {
    auto& [left, right] = sides;
    const auto first = [&](size_t i) { return (rows[i].left ? rows[i].left : rows[i].right)->first; };
    std::ranges::stable_sort(left, {}, first);
    std::ranges::stable_sort(right, {}, first);
    for (const auto& [l, r] : in_common(left.size(), right.size(), [&](size_t a, size_t b) {
           return rows[left[a]].left->op == rows[right[b]].right->op;
         })) {
      rows[left[l]].right = rows[right[r]].right;
      rows[left[l]].moved = true;
      rows[left[l]].edited = !other_functions;
      rows[right[r]] = {};
    }
  }
  std::erase_if(rows, [](const Both& row) { return !row.left && !row.right; });
}

// Whether the recording does not say which ops ran: the user did not ask for them, or those of the engine cannot be
// recorded.
bool records_no_ops(const RecordedSide& side) {
  const session::Contents& c = side.reader.contents();
  const bool of_other_engine = std::ranges::any_of(c.processes, [](const session::ProcessRecord& process) {
    return !process.engine.empty() && process.engine != "footlight";
  });
  return side.reader.op_events().index().empty() && (c.level != RecordingLevel::kOps || of_other_engine);
}

void decide(Row& row, const Both& both, bool one_recorded) {
  const uint64_t left = row.eager_count, right = row.traced_count;
  if (one_recorded) {
    row.group = Group::kOneRecorded;
    row.why = std::string("The ") + (both.left ? "right" : "left") + " recording does not say which ops ran";
  } else if (!both.right || !right) {
    row.group = Group::kOnlyLeft;
  } else if (!both.left || !left) {
    row.group = Group::kOnlyRight;
  } else {
    row.group = left == right ? Group::kSame : Group::kCounts;
    if (left != right)
      row.why = "It ran " + how_often(left) + " on the left, " + how_often(right) + " on the right";
    if (both.left->in_graph != both.right->in_graph && both.left->eager != both.right->eager)
      row.why += std::string(row.why.empty() ? "" : "; ") +
                 (both.right->in_graph ? "It ran eagerly on the left, in a graph on the right"
                                       : "It ran in a graph on the left, eagerly on the right");
    else if (both.moved)
      row.why += std::string(row.why.empty() ? "" : "; ") + "the same op in the same order, on " +
                 (both.edited ? "an edited line" : "another line");
  }
}

// Says what one run of an op took where that explains more of its difference than how often it ran.
void name_time_of_one_run(Row& row) {
  if (row.group != Group::kCounts) return;
  const auto left = static_cast<double>(row.eager_count), right = static_cast<double>(row.traced_count);
  const double by_count = row.eager.mean * (right - left) / left;
  if (std::abs(row.difference.mean - by_count) <= std::abs(by_count)) return;
  row.why += "; one run took " + time_text(row.eager.mean / left) + " on the left, " +
             time_text(row.traced.mean / right) + " on the right";
}

std::string ran_text(const Half* half) {
  if (!half || !half->ran) return "";
  return times(half->ran, half->names.size() == 1 && !half->eager ? *half->names.begin() : half->op);
}

struct Sides {
  const RecordedSide &left, &right;
  RecordedRuns &left_runs, &right_runs;
};

// Rows in program order, and which one each place of a side belongs to.
void make_rows(const Sides& s, Comparison& c, std::vector<int32_t>& left_rows, std::vector<int32_t>& right_rows) {
  const Lines lines(s.left, s.right);
  const Halves left = halves_of(s.left_runs, [&](const Line& at) { return lines.of_left(at); });
  const Halves right = halves_of(s.right_runs, [&](const Line& at) { return lines.of_right(at); });
  // In the order of lines, those of one line as they ran.
  std::map<std::tuple<Lines::At, uint64_t, std::string, bool>, Both> ordered;
  for (const auto& [key, half] : left) {
    const auto other = right.find(key);
    ordered[{key.first, half.first, key.second, false}] = {&half, other == right.end() ? nullptr : &other->second};
  }
  for (const auto& [key, half] : right)
    if (!left.contains(key)) ordered[{key.first, half.first, key.second, true}] = {nullptr, &half};
  std::vector<Both> all;
  for (const auto& [key, both] : ordered) all.push_back(both);
  const bool other_functions = &s.left.reader == &s.right.reader && s.left_runs.function() != s.right_runs.function();
  pair_the_rest(all, lines, other_functions);
  const bool left_unknown = records_no_ops(s.left), right_unknown = records_no_ops(s.right);
  left_rows.assign(s.left_runs.places().size(), -1);
  right_rows.assign(s.right_runs.places().size(), -1);
  for (const Both& both : all) {
    Row row;
    const auto number = static_cast<int32_t>(c.rows.size());
    if (both.left) {
      row.at = both.left->at;
      row.eager_count = both.left->ran;
      row.eager_bytes = both.left->bytes;
      row.nodes = both.left->nodes;
      for (const size_t place : both.left->places) left_rows[place] = number;
    }
    if (both.right) {
      row.right_at = both.right->at;
      row.traced_count = both.right->ran;
      row.traced_bytes = both.right->bytes;
      row.right_nodes = both.right->nodes;
      for (const size_t place : both.right->places) right_rows[place] = number;
    }
    const Half& either = both.left ? *both.left : *both.right;
    row.function = either.function;
    row.flops = either.flops;
    row.eager_ops = ran_text(both.left);
    row.graph_nodes = ran_text(both.right);
    row.place = place_text(s.left, s.right, row);
    decide(row, both, both.left ? !both.right && right_unknown : left_unknown);
    if (row.eager_count || row.traced_count || !row.eager_ops.empty() || !row.graph_nodes.empty()) {
      c.rows.push_back(std::move(row));
      continue;
    }
    for (std::vector<int32_t>* rows : {&left_rows, &right_rows}) std::ranges::replace(*rows, number, -1);
  }
}

SideRuns side_runs(const RecordedRuns& runs, const std::vector<int32_t>& rows, size_t count) {
  SideRuns made;
  made.with_events = runs.runs();
  for (size_t r = 0; r < made.with_events.size(); ++r) {
    SideRuns::One& one = made.with_events[r];
    made.totals.push_back(one.total);
    one.rows.resize(count);
    for (size_t place = 0; place < rows.size(); ++place)
      if (rows[place] >= 0) one.rows[static_cast<size_t>(rows[place])] += runs.ns_of(r, place);
  }
  return made;
}

size_t nearest(const RecordedRuns& runs, double mean) {
  const auto off = [&](const SideRuns::One& one) { return std::abs(static_cast<double>(one.total) - mean); };
  return static_cast<size_t>(std::ranges::min_element(runs.runs(), {}, off) - runs.runs().begin());
}

// --- words ---------------------------------------------------------------------------------------------------------

std::string stem(const std::string& path) { return std::filesystem::path(path).stem().string(); }

std::string unit_text(const Recorded& what) {
  switch (what.kind) {
    case Kind::kTrace: return "#" + std::to_string(what.number);
    case Kind::kCall: return "call " + std::to_string(what.number);
    default: return "";
  }
}

void name_sides(Comparison& c, const RecordedSide& left, const RecordedSide& right) {
  const bool two = &left.reader != &right.reader;
  const bool same_file = stem(left.path) == stem(right.path);
  const bool other = left.what.function != right.what.function;
  const auto name = [&](const RecordedSide& side, const char* otherwise) {
    std::string text = two ? same_file ? otherwise : stem(side.path) : "";
    const auto add = [&](const std::string& more) { text += (text.empty() || more.empty() ? "" : " ") + more; };
    if (other) add(side.what.function);
    add(unit_text(side.what));
    return text.empty() ? std::string(otherwise) : text;
  };
  c.eager.name = name(left, "left");
  c.traced.name = name(right, "right");
  c.title = (other || left.what.function.empty() ? "" : left.what.function + ": ") + c.eager.name +
            " against " + c.traced.name;
  c.name = left.what.function;
}

// "TensorFlow 2.21.0", "JAX 0.10.2 and PyTorch 2.15.0".
std::string engine_text(const session::Reader& reader) {
  const session::Contents& contents = reader.contents();
  std::vector<std::string> found;
  for (const session::ProcessRecord& process : contents.processes) {
    const auto engine = std::ranges::find(session::kOtherEngines, std::string_view(process.engine),
                                          &session::OtherEngine::package);
    if (engine == std::end(session::kOtherEngines)) continue;
    const std::string words = engine->title + (process.engine_version.empty() ? "" : " " + process.engine_version);
    if (std::ranges::find(found, words) == found.end()) found.push_back(words);
  }
  std::string text;
  for (size_t i = 0; i < found.size(); ++i)
    text += (i == 0 ? "" : i + 1 == found.size() ? " and " : ", ") + found[i];
  return text.empty() ? "Footlight's engine" : text;
}

// Whether nothing but spans was recorded, as in traces of programs that mark their own parts.
bool has_spans_only(const session::Reader& reader) {
  return reader.contents().functions.empty() && reader.op_events().index().empty() &&
         reader.device_events().index().empty() && !reader.spans().index().empty();
}

double time_around_events(const session::Reader& reader) {
  const session::Contents& c = reader.contents();
  return static_cast<double>(session::run_time(c.run, c.end, reader.first_time(), reader.last_time()) -
                             reader.events_ns());
}

void add_notes(Comparison& c, const Sides& s) {
  for (const RecordedRuns* runs : {&s.left_runs, &s.right_runs})
    for (const std::string& note : runs->notes())
      if (std::ranges::find(c.notes, note) == c.notes.end()) c.notes.push_back(note);
  if (has_spans_only(s.left.reader) && has_spans_only(s.right.reader))
    c.notes.push_back("Both hold spans only: what ran in them is not known");
  if (s.left.what.kind == Kind::kFunction)
    c.notes.push_back("The times are sums: of " + with_commas(c.eager.calls) + " calls on the left, " +
                      with_commas(c.traced.calls) + " on the right");
  if (s.left_runs.runs().size() == 1 && s.right_runs.runs().size() == 1 && s.left.what.kind == Kind::kCall)
    c.notes.push_back("Each side is a single call: how much calls vary is not known");
  if (s.left.what.kind == Kind::kRecording) {
    c.notes.push_back("Each side is one run: how much runs vary is not known");
    const double left = time_around_events(s.left.reader), right = time_around_events(s.right.reader);
    if (left > 0 || right > 0)
      c.notes.push_back("Of the time of Python, " + time_text(left) + " on the left and " + time_text(right) +
                        " on the right passed before the first event and after the last: start, imports and exit");
  }
  const std::string left_engine = engine_text(s.left.reader), right_engine = engine_text(s.right.reader);
  if (left_engine != right_engine)
    c.notes.push_back("The left side ran under " + left_engine + ", the right one under " + right_engine);
  for (const RecordedSide* side : {&s.left, &s.right})
    if (records_no_ops(*side) && side->reader.contents().level == RecordingLevel::kOps)
      c.notes.push_back(side->path + " does not say which ops ran: their time is " +
                        where_ops_are(side->reader));
  const std::string &left = s.left.reader.contents().run.machine, &right = s.right.reader.contents().run.machine;
  if (left != right) c.notes.push_back("The recordings come from different machines: " + left + "; " + right);
  std::string making;
  for (const auto& [side, runs] : {std::pair{&s.left, &s.left_runs}, {&s.right, &s.right_runs}}) {
    const session::TraceRecord* t = side->what.kind == Kind::kTrace ? runs->trace() : nullptr;
    if (!t || t->start_ns < 0 || t->end_ns < t->start_ns) continue;
    making += (making.empty() ? "Making " : ", ") + words_of(side->what) + " took " +
              time_text(static_cast<double>(t->end_ns - t->start_ns));
  }
  if (!making.empty()) c.notes.push_back(making + ", which is no part of this");
}

std::string device_of(const session::Reader& reader, const Picture& picture) {
  if (std::ranges::none_of(picture.lanes, [](const Lane& l) { return l.kind == Lane::Kind::kStream; })) return "";
  for (const session::DeviceNameRecord& device : reader.contents().device_names)
    if (device.number.valid() && device.name != "/cpu:0") return device.description;
  return "";
}

}  // namespace

Recorded recorded_named(std::string_view words) {
  Recorded made;
  if (words.empty()) return made;
  made.kind = Kind::kFunction;
  made.function = words;
  const size_t at = words.find_last_of("#:");
  if (at == words.npos) return made;
  made.kind = words[at] == '#' ? Kind::kTrace : Kind::kCall;
  made.function = words.substr(0, at);
  const char* const end = words.data() + words.size();
  const auto read = std::from_chars(words.data() + at + 1, end, made.number);
  if (read.ec != std::errc() || read.ptr != end || made.number < 1 || made.function.empty())
    throw Error(
        ErrorKind::kValue,
        std::string(words) + ": name a function, a trace as in train_step#3, or a call as in train_step:7");
  return made;
}

std::string words_of(const Recorded& what) {
  if (what.kind == Kind::kTrace) return what.function + "#" + std::to_string(what.number);
  if (what.kind == Kind::kCall) return what.function + ":" + std::to_string(what.number);
  return what.function;
}

std::vector<std::pair<std::string, FunctionId>> function_names(std::span<const session::FunctionRecord> functions) {
  std::map<std::string, int> seen;
  std::vector<std::pair<std::string, FunctionId>> names;
  for (const session::FunctionRecord& f : functions) {
    const int number = ++seen[f.name];
    names.emplace_back(number > 1 ? f.name + " (" + std::to_string(number) + ")" : f.name, f.id);
  }
  return names;
}

Comparison compare_recorded(const RecordedSide& left, const RecordedSide& right, const GoOn& go_on) {
  for (const RecordedSide* side : {&left, &right}) check_function(*side);
  check_kinds(left.what, right.what);
  RecordedRuns left_runs(left, go_on), right_runs(right, go_on);
  const Sides sides{left, right, left_runs, right_runs};
  Comparison c;
  c.recorded = true;
  name_sides(c, left, right);
  c.function = left_runs.function();
  if (left_runs.trace()) c.trace = left_runs.trace()->id;
  c.call = left.what.kind == Kind::kCall ? left.what.number : 0;
  c.source = left_runs.source();
  c.eager.session = left.path;
  c.traced.session = right.path;
  c.eager.calls = left_runs.calls();
  c.traced.calls = right_runs.calls();
  std::vector<int32_t> left_rows, right_rows;
  make_rows(sides, c, left_rows, right_rows);
  fill(c, side_runs(left_runs, left_rows, c.rows.size()), side_runs(right_runs, right_rows, c.rows.size()));
  for (Row& row : c.rows) name_time_of_one_run(row);
  c.pairs = static_cast<uint32_t>(std::max(left_runs.runs().size(), right_runs.runs().size()));
  c.pairs_with_events = c.pairs;
  go_on();
  c.eager.picture = left_runs.picture(nearest(left_runs, c.eager.total.mean),
                                      [&](size_t place) { return left_rows[place]; });
  c.traced.picture =
      right_runs.picture(nearest(right_runs, c.traced.total.mean), [&](size_t place) { return right_rows[place]; });
  for (const Row& row : c.rows) c.eager.ops += row.eager_count, c.traced.ops += row.traced_count;
  c.device = device_of(left.reader, c.eager.picture);
  if (c.device.empty()) c.device = device_of(right.reader, c.traced.picture);
  add_notes(c, sides);
  return c;
}

}  // namespace footlight::explain
