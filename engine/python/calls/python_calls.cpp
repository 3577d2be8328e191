// An observation at 20 calls, each time that their number has doubled, and the last one when the recording ends.
#include "engine/python/calls/python_calls.h"

#include "engine/base/activity.h"
#include "engine/base/background_thread.h"
#include "engine/base/clock.h"
#include "engine/base/recording.h"
#include "engine/ops/builder.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/source.h"
#include "engine/python/interpreter/text.h"
#include "engine/record/recorder.h"
#include "engine/session/records/observation.h"
#include "engine/session/writer.h"
#include "engine/trace/function_scope.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <set>

namespace footlight::python {
namespace {

constexpr uint64_t kMany = 20;

// All that count.
auto& counting() {
  static auto& all = *new std::set<PythonCalls*>;
  return all;
}

// The name by which an error would call it.
std::string name_of_function(PyObject* function) {
  std::string name;
  quietly([&] {
    const Ref given = optional_attribute(function, "__name__");
    if (given && PyUnicode_Check(given.get())) name = readable(given.get());
  });
  return name.empty() ? Py_TYPE(function)->tp_name : name;
}

}  // namespace

PythonCalls::PythonCalls(PyObject* function, std::string token) : token_(std::move(token)) {
  if (!recording_structure() || !this_thread.builder) return;
  const SourcePlace place = place_of(current_source());
  if (place.file.empty()) return;
  path_ = name_of_function(function);
  file_ = place.file;
  line_ = place.line;
  trace_ = trace::current_trace();
  recording_ = recording_number.load();
  counting().insert(this);
}

PythonCalls::~PythonCalls() {
  if (!recording_) return;
  counting().erase(this);
  session::Writer* writer = recording_structure() ? session::active_writer() : nullptr;
  if (writer && recording_ == recording_number.load()) write(*writer);
}

void PythonCalls::add(int64_t ns, int64_t busy_ns) {
  if (repeating_call.load(std::memory_order_relaxed)) return;  // a comparison's
  ++runs_;
  spent_ns_ += ns;
  busy_ns_ += busy_ns;
  if (runs_ < kMany || runs_ < 2 * written_) return;
  session::Writer* writer = recording_structure() ? session::active_writer() : nullptr;
  if (writer && recording_ == recording_number.load()) write(*writer);
}

void PythonCalls::write(session::Writer& writer) {
  if (runs_ == written_) return;
  written_ = runs_;
  session::ObservationRecord record;
  record.kind = session::ObservationKind::kPythonCall;
  record.trace = trace_;
  record.time_ns = now_ns();
  record.path = path_;
  record.file = writer.file(file_);
  record.line = line_;
  record.count = runs_;
  record.spent_ns = spent_ns_;
  record.busy_ns = busy_ns_;
  record.note = token_;
  writer.add(std::move(record));
}

namespace {

// The time during which this thread was ready to run and other threads had the processors; 0 where the system does not
// count it.
int64_t time_in_queue() {
  struct File {
    const int descriptor = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    const FileIdentity identity = identity_of(descriptor);
    const pid_t process = getpid();
    // A program that closes what it does not know may have given the number to a file of its own.
    bool is_there() const { return descriptor >= 0 && identity_of(descriptor) == identity; }
    ~File() {
      if (is_there()) close(descriptor);
    }
  };
  static thread_local const File file;
  char text[96];
  // After a fork the file is still that of the parent's thread.
  if (!file.is_there() || file.process != getpid()) return 0;
  const ssize_t size = pread(file.descriptor, text, sizeof text, 0);
  const char* const end = text + std::max<ssize_t>(size, 0);
  const char* const second = std::find(static_cast<const char*>(text), end, ' ');
  int64_t ns = 0;
  if (second != end) std::from_chars(second + 1, end, ns);
  return ns;
}

}  // namespace

PythonCall::Usage PythonCall::usage() {
  rusage of_thread{};
  timespec processor{};
  getrusage(RUSAGE_THREAD, &of_thread);
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &processor);
  const int64_t ns = int64_t{processor.tv_sec} * 1'000'000'000 + processor.tv_nsec;
  return {ns + time_in_queue(), of_thread.ru_nvcsw};
}

PythonCall::PythonCall(PythonCalls& calls)
    : calls_(calls), start_ns_(calls.counted() ? now_ns() : 0), before_(start_ns_ ? usage() : Usage()) {}
PythonCall::~PythonCall() {
  if (!start_ns_) return;
  const int64_t ns = now_ns() - start_ns_;
  const Usage after = usage();
  // A call that never waited computed all the time, whatever other programs took of the processor meanwhile.
  const bool waited = after.waits != before_.waits;
  calls_.add(ns, waited ? std::min(ns, after.ready_ns - before_.ready_ns) : ns);
}

void init_python_calls() {
  record::on_recording_stopping([](session::Writer& writer) {
    for (PythonCalls* calls : counting()) calls->write(writer);
  });
}

}  // namespace footlight::python
