// Registers code objects by id, under a lock taken when one is first seen and when a message needs a line.
#include "engine/record/sources.h"

#include "engine/base/text.h"
#include "engine/session/writer.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

namespace footlight::record {


namespace {

struct Known {
  session::CodeRecord code;
  std::string path;
};

constexpr size_t kMaxRetired = 1024;

struct Register {
  std::mutex mutex;
  std::deque<std::unique_ptr<const Known>> known;  // indexed by CodeId; null: retired and since forgotten
  std::deque<CodeId> retired;                      // the latest retired ones, oldest first
  size_t recorded = 0;                             // number of code objects that the session has
  std::vector<std::string> own_folders;
};

// Never destroyed: threads and exit handlers may still use it.
Register& sources() {
  static auto* const it = new Register;
  return *it;
}

// Called with the lock held.
void record_rest(Register& r, session::Writer& writer) {
  for (; r.recorded < r.known.size(); ++r.recorded) {
    const Known* const known = r.known[r.recorded].get();
    if (!known) continue;
    session::CodeRecord code = known->code;
    code.file = writer.file(known->path);
    writer.add(std::move(code));
  }
}

}  // namespace

CodeId register_code(std::string path, session::CodeRecord code) {
  Register& r = sources();
  std::lock_guard lock(r.mutex);
  const CodeId id(static_cast<uint32_t>(r.known.size()));
  code.id = id;
  r.known.push_back(std::make_unique<const Known>(Known{std::move(code), std::move(path)}));
  session::Writer* const writer = recording_structure() ? session::active_writer() : nullptr;
  if (writer) record_rest(r, *writer);
  return id;
}

void retire_code(CodeId id) {
  Register& r = sources();
  std::lock_guard lock(r.mutex);
  r.retired.push_back(id);
  if (r.retired.size() <= kMaxRetired) return;
  r.known[r.retired.front().value] = nullptr;
  r.retired.pop_front();
}

void sources_before_fork() { sources().mutex.lock(); }
void sources_after_fork() { sources().mutex.unlock(); }

void begin_codes() {
  std::lock_guard lock(sources().mutex);
  sources().recorded = 0;
}

void record_codes(session::Writer& writer) {
  std::lock_guard lock(sources().mutex);
  record_rest(sources(), writer);
}

SourcePlace place_of(SourceRef source) {
  Register& r = sources();
  std::lock_guard lock(r.mutex);
  if (!source.code.valid() || source.code.value >= r.known.size() || !r.known[source.code.value]) return {};
  const Known& known = *r.known[source.code.value];
  const auto& lines = known.code.lines;
  auto at = std::upper_bound(lines.begin(), lines.end(), source.offset,
                             [](uint32_t offset, const session::CodeLine& line) { return offset < line.first_offset; });
  const int line = at == lines.begin() ? known.code.first_line : static_cast<int>(std::prev(at)->line);
  return {known.path, line ? line : known.code.first_line, known.code.qualname};
}

std::string place_text(SourceRef source) {
  const SourcePlace p = place_of(source);
  return p.file.empty() ? "" : str(p.file, ":", p.line, ", in ", p.function);
}

void add_own_folder(std::string folder) {
  if (folder.empty()) return;
  Register& r = sources();
  std::lock_guard lock(r.mutex);
  r.own_folders.push_back(std::move(folder));
}

bool is_own_file(std::string_view path) {
  Register& r = sources();
  std::lock_guard lock(r.mutex);
  return std::any_of(r.own_folders.begin(), r.own_folders.end(),
                     [&](const std::string& folder) { return path.starts_with(folder); });
}

bool is_library_file(std::string_view path) {
  static constexpr std::string_view kPackages = "-packages/";
  static constexpr std::string_view kLibraries[] = {
      "keras/", "tf_keras/", "tensorflow/", "wrapt/", "jax/",       "jaxlib/",
      "flax/",  "optax/",    "equinox/",    "haiku/", "torch/",     "lightning/",
      "pytorch_lightning/"};
  const size_t at = path.rfind(kPackages);
  if (at == path.npos) return false;
  const std::string_view package = path.substr(at + kPackages.size());
  return std::ranges::any_of(kLibraries, [&](std::string_view library) { return package.starts_with(library); });
}

}  // namespace footlight::record
