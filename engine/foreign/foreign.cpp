// Finds the format, runs its importer, writes the facts of the run.
#include "engine/foreign/foreign.h"

#include "engine/base/text.h"
#include "engine/foreign/chrome.h"
#include "engine/foreign/input.h"
#include "engine/foreign/xplane.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

namespace footlight::foreign {
namespace {

constexpr std::string_view kImported = "imported: ";
constexpr size_t kBegin = 1 << 16;  // bytes from which a format is told

struct Importer {
  Format format;
  const char* name;
  bool (*looks_like)(std::string_view begin);
  void (*read)(const std::string& path, Builder& builder, FileFacts& facts, Progress& progress);
};

// Messages of protobuf name things before they describe them, so they are read as a whole.
constexpr size_t kMaxMessage = size_t{2} << 30;

void read_chrome_file(const std::string& path, Builder& builder, FileFacts& facts, Progress& progress) {
  read_chrome(*open_input(path, progress), builder, facts);
}
void read_xplane_file(const std::string& path, Builder& builder, FileFacts& facts, Progress& progress) {
  read_xplane(all_bytes(path, kMaxMessage, progress), builder, facts);
}

constexpr Importer kImporters[] = {
    {Format::kChrome, "Chrome or Kineto JSON", looks_like_chrome, read_chrome_file},
    {Format::kXPlane, "XPlane", looks_like_xplane, read_xplane_file},
};

const Importer* importer_of(const std::string& path) {
  const std::string begin = first_bytes(path, kBegin);
  for (const Importer& importer : kImporters)
    if (importer.looks_like(begin)) return &importer;
  return nullptr;
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
    facts.format = importer->name;
    Progress progress([&](double share) {
      return !options_.go_on || options_.go_on((static_cast<double>(number) + share) / static_cast<double>(of));
    });
    progress.part(0, 0.5);
    std::unique_ptr<session::Writer> writer = open(facts, number);
    Builder builder(*writer, to_, devices_);
    importer->read(path, builder, facts, progress);
    const Builder::Times times = builder.finish(facts, progress);
    if (!times.last) return;
    first_ = first_ ? std::min(first_, times.first) : times.first;
    last_ = std::max(last_, times.last);
    if (facts_.empty() || facts.machine != facts_.back().machine) facts_.push_back(facts);
    if (number == 0) writer_ = std::move(writer);
    else writer->close();
  }

  void finish(const std::vector<std::string>& files) {
    session::RunRecord run;
    run.script = std::filesystem::absolute(files.front()).string();
    run.arguments.assign(files.begin() + 1, files.end());
    run.working_directory = std::filesystem::absolute(files.front()).parent_path().string();
    run.engine = str(kImported, facts_.empty() ? "" : facts_.front().format);
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
  std::unique_ptr<session::Writer> open(const FileFacts& facts, size_t number) {
    if (number > 0) return session::Writer::attach(to_);
    session::RunRecord run;
    run.script = facts.path;
    auto writer = session::Writer::create(to_, run, RecordingLevel::kOps);
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

bool is_foreign(const std::string& path) { return format_of(path) != Format::kNone; }

std::string known_formats() {
  std::string all;
  for (const Importer& importer : kImporters) all += (all.empty() ? "" : ", ") + std::string(importer.name);
  return all;
}

bool is_imported(std::string_view engine) { return engine.starts_with(kImported); }

void import_bytes(std::string_view bytes, session::Writer& writer, const std::string& beside) {
  std::set<uint32_t> devices;
  Builder builder(writer, beside, devices);
  FileFacts facts;
  Progress progress;
  const std::string_view begin = bytes.substr(0, kBegin);
  if (looks_like_chrome(begin)) read_chrome(*input_of(bytes), builder, facts);
  else if (looks_like_xplane(begin)) read_xplane(bytes, builder, facts);
  else fail(ErrorKind::kValue, "it is in no format that Footlight knows; it knows ", known_formats());
  builder.finish(facts, progress);
}

void import_files(const std::vector<std::string>& files, const std::string& to, const ImportOptions& options) {
  if (files.empty()) fail(ErrorKind::kValue, "there is no file to import");
  if (files.size() > session::kMaxProcesses)
    fail(ErrorKind::kValue, "at most ", session::kMaxProcesses, " files can be imported into one recording");
  for (const std::string& file : files) {
    std::error_code ignored;
    if (std::filesystem::equivalent(file, to, ignored)) fail(ErrorKind::kValue, "the recording would replace ", file);
  }
  Imported imported(to, options);
  for (size_t i = 0; i < files.size(); ++i) imported.add(files[i], i, files.size());
  imported.finish(files);
}

}  // namespace footlight::foreign
