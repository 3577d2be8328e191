// A record is a line of glog's with a JSON object; lines that begin with a tab are its payload.
#include "engine/foreign/torch_trace.h"

#include "engine/base/text.h"
#include "engine/foreign/scan.h"
#include "engine/foreign/torch_compilations.h"

#include <algorithm>
#include <filesystem>

namespace footlight::foreign {
namespace {

constexpr size_t kMaxRecord = 64 << 20;  // longer ones are left out
constexpr size_t kBegin = 1 << 16;

// Returns the JSON object of "V1130 18:35:29.036000 32758 torch/_dynamo/utils.py:2473] {...}", and an empty text for
// lines of another form.
std::string_view object_of(std::string_view line) {
  if (line.size() < 20 || std::string_view("VDIWEC").find(line[0]) == line.npos) return {};
  for (size_t i = 1; i < 5; ++i)
    if (!is_digit(line[i])) return {};
  if (line[5] != ' ' || line[8] != ':') return {};
  const size_t at = line.find("] {");
  return at == line.npos ? std::string_view() : line.substr(at + 2);
}

class TraceReader {
 public:
  explicit TraceReader(const Import& import) : import_(import), compilations_(import) {}

  void read() {
    const std::unique_ptr<Input> input = import_.source.open();
    for (std::string_view piece; !(piece = input->next()).empty();) {
      while (!piece.empty()) {
        const size_t end = piece.find('\n');
        append_to_line(piece.substr(0, end));
        if (end == piece.npos) break;
        end_line();
        piece.remove_prefix(end + 1);
      }
    }
    if (!line_.empty()) end_line();
    end_record();
    if (!input->damage().empty()) import_.builder.leave_out("the rest of the file", input->damage());
    if (records_ == 0) fail(ErrorKind::kValue, import_.facts.path, " is damaged; no record could be read");
    compilations_.finish();
  }

 private:
  void append_to_line(std::string_view part) {
    if (line_.size() + payload_.size() + part.size() <= kMaxRecord) line_ += part;
    else too_large_ = true;
  }

  void end_line() {
    if (line_.ends_with('\r')) line_.pop_back();
    if (line_.starts_with('\t')) {
      if (!payload_.empty()) payload_ += '\n';
      payload_.append(line_, 1);
    } else if (!object_of(line_).empty()) {
      end_record();
      object_ = object_of(line_);
    } else if (!line_.empty()) {
      import_.builder.leave_out("lines", "they belong to no record");
    }
    line_.clear();
  }

  // Hands on the record whose lines are complete.
  void end_record() {
    if (too_large_) import_.builder.leave_out("records", str("they are larger than ", bytes_text(kMaxRecord)));
    else if (!object_.empty() && compilations_.add(object_, payload_)) ++records_;
    else if (!object_.empty()) import_.builder.leave_out("records", "they are damaged");
    object_.clear();
    payload_.clear();
    too_large_ = false;
  }

  const Import& import_;
  TorchCompilations compilations_;
  std::string line_, object_, payload_;
  bool too_large_ = false;
  uint64_t records_ = 0;
};

}  // namespace

bool looks_like_torch_trace(std::string_view begin) {
  const std::string_view first = begin.substr(0, begin.find('\n'));
  return !object_of(first).empty() && first.find(" torch/") != first.npos;
}

void read_torch_trace(const Import& import) { TraceReader(import).read(); }

std::vector<std::string> torch_traces_in(const std::string& folder) {
  std::vector<std::string> found;
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error)) return found;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string path = at->path().string();
    if (at->is_regular_file(error) && looks_like_torch_trace(first_bytes(path, kBegin))) found.push_back(path);
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace footlight::foreign
