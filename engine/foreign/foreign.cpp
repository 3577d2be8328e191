// Finds the format, runs its importer, writes the facts of the run.
#include "engine/foreign/foreign.h"

#include "engine/base/text.h"
#include "engine/foreign/chrome.h"
#include "engine/foreign/fx.h"
#include "engine/foreign/hlo.h"
#include "engine/foreign/nsight.h"
#include "engine/foreign/perfetto.h"
#include "engine/foreign/program.h"
#include "engine/foreign/stablehlo.h"
#include "engine/foreign/torch_trace.h"
#include "engine/foreign/xplane.h"
#include "engine/session/nothing_ran.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

namespace footlight::foreign {
namespace {

constexpr size_t kBegin = 1 << 16;  // bytes from which a format is told

struct Importer {
  Format format;
  const char* name;
  bool (*looks_like)(std::string_view begin);
  void (*read)(const Import& import);
};

// Messages of protobuf name things before they describe them, so they are read as a whole.
constexpr size_t kMaxMessage = size_t{2} << 30;

void read_chrome_file(const Import& import) { read_chrome(*import.source.open(), import.builder, import.facts); }
void read_xplane_file(const Import& import) {
  read_xplane(import.source.all(kMaxMessage), import.builder, import.facts);
}

constexpr Importer kImporters[] = {
    {Format::kChrome, "Chrome or Kineto JSON", looks_like_chrome, read_chrome_file},
    {Format::kXPlane, "XPlane", looks_like_xplane, read_xplane_file},
    {Format::kHlo, session::kHloText, looks_like_hlo, read_hlo},
    {Format::kStableHlo, session::kStableHloText, looks_like_stablehlo, read_stablehlo},
    {Format::kNsight, "Nsight Systems (SQLite)", looks_like_nsight, read_nsight},
    {Format::kPerfetto, "Perfetto", looks_like_perfetto, read_perfetto},
    {Format::kTorchTrace, "PyTorch log (TORCH_TRACE)", looks_like_torch_trace, read_torch_trace},
    {Format::kFx, session::kFxText, looks_like_fx, read_fx},
};

const Importer* importer_of(const Source& source) {
  const std::string begin = source.first(kBegin);
  for (const Importer& importer : kImporters)
    if (importer.looks_like(begin)) return &importer;
  return nullptr;
}
const Importer* importer_of(const std::string& path) {
  Progress unseen;
  if (const auto logs = torch_traces_in(path); !logs.empty()) return importer_of(Source(logs[0], unseen));
  return importer_of(Source(path, unseen));
}

// A recording of the first file, to which each other file adds a process.
class Imported {
 public:
  Imported(const std::string& to, const ImportOptions& options) : to_(to), options_(options) {}
  ~Imported() {
    if (done_) return;
    writer_.reset();
    if (made_) unlink(to_.c_str());
  }

  void add(const std::string& path, size_t number, size_t of) {
    const Importer* const importer = importer_of(path);
    if (!importer) {
      Progress unseen;
      open_input(path, unseen);  // throws with the reason if the file cannot be opened
      fail(ErrorKind::kValue, path, " is no recording of another program that Footlight knows; it knows ",
           known_formats());
    }
    FileFacts facts;
    facts.path = path;
    facts.files = static_cast<int>(of);
    facts.format = importer->name;
    Progress progress([&](double share) {
      return !options_.go_on || options_.go_on((static_cast<double>(number) + share) / static_cast<double>(of));
    });
    progress.part(0, 0.5);
    std::unique_ptr<session::Writer> writer = open(facts, number, is_program(importer->format));
    Builder builder(*writer, to_, devices_);
    const Source source(path, progress);
    importer->read({source, *writer, builder, facts, progress});
    Builder::Times times = builder.finish(facts, progress);
    if (!times.last) times = {facts.first_ns, facts.last_ns};
    if (times.last) {
      first_ = first_ ? std::min(first_, times.first) : times.first;
      last_ = std::max(last_, times.last);
    }
    if (facts_.empty() || facts.machine != facts_.back().machine) facts_.push_back(facts);
    if (number == 0) writer_ = std::move(writer);
    else writer->close();
  }

  void finish(const std::vector<std::string>& files) {
    session::RunRecord run;
    run.script = std::filesystem::absolute(files.front()).string();
    run.arguments.assign(files.begin() + 1, files.end());
    run.working_directory = std::filesystem::absolute(files.front()).parent_path().string();
    run.engine = str(session::kImported, facts_.empty() ? "" : facts_.front().format);
    for (const FileFacts& f : facts_)
      if (!f.machine.empty()) run.machine += (run.machine.empty() ? "" : "; ") + f.machine;
    // Times that do not count from 1970 do not say when it was.
    constexpr int64_t kNoClock = 100'000'000'000'000'000;
    run.started_ns = first_ > kNoClock ? first_ : 0;
    writer_->set_run(run);
    const session::Writer::Finished finished = writer_->finish({last_, 0, 0, "imported"});
    if (!finished.one_file) fail(ErrorKind::kIo, finished.words);
    done_ = true;
  }

 private:
  std::unique_ptr<session::Writer> open(const FileFacts& facts, size_t number, bool is_program) {
    if (number > 0) return session::Writer::attach(to_);
    session::RunRecord run;
    run.script = facts.path;
    const RecordingLevel level = is_program ? RecordingLevel::kStructure : RecordingLevel::kOps;
    auto writer = session::Writer::create(to_, run, level);
    made_ = true;
    return writer;
  }

  std::string to_;
  const ImportOptions& options_;
  std::unique_ptr<session::Writer> writer_;
  std::set<uint32_t> devices_;
  std::vector<FileFacts> facts_;
  int64_t first_ = 0, last_ = 0;
  bool made_ = false, done_ = false;
};

}  // namespace

Format format_of(const std::string& path) {
  const Importer* const importer = importer_of(path);
  return importer ? importer->format : Format::kNone;
}

const char* name_of(Format format) {
  for (const Importer& importer : kImporters)
    if (importer.format == format) return importer.name;
  return "";
}

bool is_program(Format format) { return session::is_program_text(name_of(format)); }

bool is_foreign(const std::string& path) { return format_of(path) != Format::kNone; }

std::string known_formats() {
  std::string all;
  for (const Importer& importer : kImporters) all += (all.empty() ? "" : ", ") + std::string(importer.name);
  return all;
}

void import_bytes(std::string_view bytes, session::Writer& writer, const std::string& beside) {
  std::set<uint32_t> devices;
  Builder builder(writer, beside, devices);
  FileFacts facts;
  facts.path = "the file";
  Progress progress;
  const Source source(bytes, facts.path, progress);
  const Importer* const importer = importer_of(source);
  if (!importer) fail(ErrorKind::kValue, "it is in no format that Footlight knows; it knows ", known_formats());
  importer->read({source, writer, builder, facts, progress});
  builder.finish(facts, progress);
}

void import_files(const std::vector<std::string>& named, const std::string& to, const ImportOptions& options) {
  if (named.empty()) fail(ErrorKind::kValue, "there is no file to import");
  std::vector<std::string> files;
  for (const std::string& name : named) {
    const std::vector<std::string> logs = torch_traces_in(name);
    if (logs.empty()) files.push_back(name);
    else files.insert(files.end(), logs.begin(), logs.end());
  }
  if (files.size() > session::kMaxProcesses)
    fail(ErrorKind::kValue, "at most ", session::kMaxProcesses, " files can be imported into one recording");
  for (const std::string& file : files) {
    std::error_code ignored;
    if (std::filesystem::equivalent(file, to, ignored)) fail(ErrorKind::kValue, "the recording would replace ", file);
  }
  Imported imported(to, options);
  for (size_t i = 0; i < files.size(); ++i) imported.add(files[i], i, files.size());
  imported.finish(named);
}

}  // namespace footlight::foreign
