// Tables and columns as NVIDIA's "SQLite Export Schema Reference" has them. Names are numbers into the table StringIds.
#include "engine/foreign/nsight.h"

#include "engine/base/text.h"
#include "engine/foreign/nsight_tables.h"
#include "engine/session/budget.h"
#include "engine/session/read_only_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <charconv>
#include <unordered_map>

namespace footlight::foreign {
namespace {

constexpr std::string_view kSqlite("SQLite format 3\0", 16);
constexpr size_t kMaxNames = 128 << 20, kMaxUnpacked = size_t{2} << 30;
constexpr size_t kApplicationIdAt = 68;
enum NvtxType : int64_t { kMark = 34, kPushPop = 59, kStartEnd = 60 };

uint64_t positive(int64_t number) { return number > 0 ? static_cast<uint64_t>(number) : 0; }
uint32_t uint32_of(int64_t number) { return static_cast<uint32_t>(std::min<uint64_t>(positive(number), UINT32_MAX)); }

// A global number of a process or thread has 24 bits for each of them, below the bits of the machine.
int64_t pid_of(int64_t global) { return (global >> 24) & 0xffffff; }
int64_t tid_of(int64_t global) { return global & 0xffffff; }

std::string_view copy_name(int64_t kind) {
  constexpr std::string_view kNames[] = {"Memcpy", "Memcpy HtoD", "Memcpy DtoH", "Memcpy HtoA", "Memcpy AtoH",
                                         "Memcpy AtoA", "Memcpy AtoD", "Memcpy DtoA", "Memcpy DtoD", "Memcpy HtoH",
                                         "Memcpy PtoP"};
  return kind > 0 && kind < static_cast<int64_t>(std::size(kNames)) ? kNames[kind] : kNames[0];
}

// A file in memory with the unpacked bytes of the source.
session::Descriptor in_memory(const Source& source) {
  session::Descriptor file(memfd_create("footlight-nsight", MFD_CLOEXEC));
  if (!file) fail(ErrorKind::kMemory, "there is no memory to read ", source.path());
  const std::unique_ptr<Input> input = source.open();
  size_t size = 0;
  for (std::string_view piece; !(piece = input->next()).empty();) {
    size += piece.size();
    if (size > kMaxUnpacked)
      fail(ErrorKind::kValue, source.path(), " is larger than ", bytes_text(kMaxUnpacked), "; unpack it first");
    while (!piece.empty()) {
      const ssize_t written = write(file.get(), piece.data(), piece.size());
      if (written <= 0) fail(ErrorKind::kMemory, "there is no memory to unpack ", source.path());
      piece.remove_prefix(static_cast<size_t>(written));
    }
  }
  return file;
}

session::Descriptor plain_or_unpacked(const Source& source) {
  session::Descriptor file(open(source.path().c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  char begin[kSqlite.size()];
  const bool is_read = file && pread(file.get(), begin, sizeof begin, 0) == sizeof begin;
  if (is_read && std::string_view(begin, sizeof begin) == kSqlite) return file;
  return in_memory(source);
}

class NsightReader {
 public:
  NsightReader(const Import& import, session::Database& database)
      : builder_(import.builder), facts_(import.facts), database_(database) {}

  void read() {
    if (!read_names())
      fail(ErrorKind::kValue, facts_.path,
           " is an SQLite file, but neither a recording nor an export of Nsight Systems: it has no table StringIds");
    read_facts();
    read_calls("CUPTI_ACTIVITY_KIND_RUNTIME");
    read_kernels();
    read_copies();
    read_waits();
    read_ranges();
    for (const char* table : {"OSRT_API", "CUBLAS_EVENTS", "CUDNN_EVENTS", "MPI_P2P_EVENTS", "MPI_COLLECTIVES_EVENTS",
                              "MPI_OTHER_EVENTS"})
      read_library_calls(table);
    if (builder_.events() == 0) fail(ErrorKind::kValue, facts_.path, " holds no event");
  }

 private:
  // Positions of columns. Every table of events begins with its times, and one of work on devices goes on with these.
  enum TimeColumn : size_t { kStart, kEnd };
  enum DeviceColumn : size_t { kDevice = 2, kContext, kStream, kCorrelation, kProcess, kFirstOwn };

  bool read_names() {
    enum : size_t { kId, kValue };
    NsightTable names(database_, "StringIds", {"id", "value"});
    if (!names.exists()) return false;
    size_t bytes = 0;
    while (names.next()) {
      bytes += names.text(kValue).size() + 64;
      if (bytes > kMaxNames) {
        builder_.leave_out("names", str("they have more than ", bytes_text(kMaxNames)));
        break;
      }
      names_.emplace(names.number(kId), names.text(kValue));
    }
    return true;
  }
  std::string_view name(int64_t number) const {
    const auto found = names_.find(number);
    return found == names_.end() ? std::string_view() : found->second;
  }

  void read_facts() {
    NsightTable start(database_, "TARGET_INFO_SESSION_START_TIME", {"utcEpochNs"});
    if (start.next()) facts_.base_ns = start.number(0);
    NsightTable gpus(database_, "TARGET_INFO_GPU", {"id", "name"});
    while (gpus.next()) {
      const int64_t id = gpus.number(0);
      const std::string_view gpu = gpus.text(1);
      builder_.name_device(uint32_of(id), gpu);
      if (facts_.machine.find(gpu) != std::string::npos) continue;
      facts_.machine += facts_.machine.empty() ? "" : ", ";
      facts_.machine += gpu;
    }
    NsightTable environment(database_, "TARGET_INFO_SYSTEM_ENV", {"name", "value"});
    while (environment.next()) {
      const std::string_view key = environment.text(0), value = environment.text(1);
      if (key == "Hostname") facts_.host = value;
    }
    read_names_of_processes();
    NsightTable threads(database_, "ThreadNames", {"nameId", "globalTid"});
    while (threads.next()) {
      const int64_t name_id = threads.number(0), thread = threads.number(1);
      thread_names_[thread] = name(name_id);
    }
  }

  void read_names_of_processes() {
    enum : size_t { kGlobalPid, kName, kPid };
    NsightTable processes(database_, "PROCESSES", {"globalPid", "name", "pid"});
    while (processes.next()) {
      const int64_t pid = processes.has(kPid) ? processes.number(kPid) : pid_of(processes.number(kGlobalPid));
      const std::string_view path = processes.text(kName);
      const size_t slash = path.rfind('/');
      const std::string_view shown = path.substr(slash == std::string_view::npos ? 0 : slash + 1);
      if (!shown.empty()) process_names_[pid] = shown;
    }
  }

  uint32_t lane(int64_t global) {
    const auto [at, is_new] = lanes_.try_emplace(global, 0);
    if (!is_new) return at->second;
    const std::string process = str(pid_of(global));
    at->second = builder_.lane(process, str(tid_of(global)));
    if (const auto known = process_names_.find(pid_of(global)); known != process_names_.end())
      builder_.name_process(process, known->second);
    if (const auto known = thread_names_.find(global); known != thread_names_.end() && !known->second.empty())
      builder_.name_lane(at->second, known->second);
    return at->second;
  }

  // Correlation numbers count within a process.
  static uint64_t correlation(int64_t number, int64_t global) {
    return number > 0 ? static_cast<uint64_t>(number) | static_cast<uint64_t>(pid_of(global)) << 40 : 0;
  }

  // Adds the event at the times of the row. The builder counts events whose times are impossible.
  void put(Event& event, const NsightTable& row) {
    if (row.is_null(kStart)) return builder_.leave_out("events", "they have no time");
    event.start_ns = row.number(kStart);
    event.end_ns = row.is_null(kEnd) ? event.start_ns : row.number(kEnd);
    if (event.name.empty()) event.name = "event without a name";
    builder_.add(event);
  }

  void read_calls(const std::string& table) {
    enum : size_t { kThread = kEnd + 1, kCall, kNameId };
    NsightTable rows(database_, table, {"start", "end", "globalTid", "correlationId", "nameId"});
    while (rows.next()) {
      const int64_t thread = rows.number(kThread);
      Event e;
      e.name = name(rows.number(kNameId));
      if (const size_t version = e.name.rfind("_v"); version != e.name.npos && version + 2 < e.name.size() &&
          e.name.find_first_not_of("0123456789", version + 2) == e.name.npos)
        e.name = e.name.substr(0, version);  // "cudaLaunchKernel_v7000"
      e.kind = e.name.starts_with("cuda") ? EventKind::kRuntime : EventKind::kDriver;
      e.lane = lane(thread);
      e.correlation = correlation(rows.number(kCall), thread);
      put(e, rows);
      count_process(thread);
    }
  }

  void count_process(int64_t global) {
    uint64_t& count = calls_of_[pid_of(global)];
    if (++count > most_calls_) {
      most_calls_ = count;
      facts_.pid = pid_of(global);
    }
  }

  // The columns that put_device_work() reads, then the table's own from kFirstOwn on.
  static std::vector<std::string> device_columns(const std::vector<std::string>& own = {}) {
    std::vector<std::string> all = {"start", "end", "deviceId", "contextId", "streamId", "correlationId", "globalPid"};
    all.insert(all.end(), own.begin(), own.end());
    return all;
  }

  void put_device_work(Event& e, const NsightTable& rows) {
    // Older exports do not name it.
    const int64_t process = rows.has(kProcess) ? rows.number(kProcess) : facts_.pid << 24;
    e.lane = builder_.lane(str(pid_of(process)), "device");
    e.device = uint32_of(rows.number(kDevice));
    e.context = uint32_of(rows.number(kContext));
    e.stream = uint32_of(rows.number(kStream));
    e.correlation = correlation(rows.number(kCorrelation), process);
    put(e, rows);
  }

  void read_kernels() {
    enum : size_t { kDemangledName = kFirstOwn, kShortName };
    NsightTable rows(database_, "CUPTI_ACTIVITY_KIND_KERNEL", device_columns({"demangledName", "shortName"}));
    while (rows.next()) {
      Event e;
      e.kind = EventKind::kKernel;
      e.name = name(rows.number(kDemangledName));
      if (e.name.empty()) e.name = name(rows.number(kShortName));
      put_device_work(e, rows);
    }
  }

  void read_copies() {
    enum : size_t { kBytes = kFirstOwn, kCopyKind };
    const std::vector<std::string> columns = device_columns({"bytes", "copyKind"});
    NsightTable copied(database_, "CUPTI_ACTIVITY_KIND_MEMCPY", columns);
    while (copied.next()) {
      Event e;
      e.kind = EventKind::kMemcpy;
      e.name = copy_name(copied.number(kCopyKind));
      e.bytes = positive(copied.number(kBytes));
      put_device_work(e, copied);
    }
    NsightTable set(database_, "CUPTI_ACTIVITY_KIND_MEMSET", columns);
    while (set.next()) {
      Event e;
      e.kind = EventKind::kMemset;
      e.name = "Memset";
      e.bytes = positive(set.number(kBytes));
      put_device_work(e, set);
    }
  }

  void read_waits() {
    NsightTable rows(database_, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", device_columns());
    while (rows.next()) {
      Event e;
      e.kind = EventKind::kSync;
      e.name = "Synchronization";
      put_device_work(e, rows);
    }
  }

  // PyTorch's emit_nvtx() names ops "aten::mm, seq = 12, op_id = 30".
  static bool is_op(std::string_view text) {
    return text.starts_with("aten::") || (text.find(", seq = ") != text.npos && text.find(", op_id = ") != text.npos);
  }

  void read_ranges() {
    enum : size_t { kType = kEnd + 1, kText, kTextId, kThread };
    NsightTable rows(database_, "NVTX_EVENTS", {"start", "end", "eventType", "text", "textId", "globalTid"});
    while (rows.next()) {
      const int64_t type = rows.number(kType);
      if (type != kMark && type != kPushPop && type != kStartEnd) continue;  // names of domains and categories
      Event e;
      e.name = rows.text(kText).empty() ? name(rows.number(kTextId)) : rows.text(kText);
      e.category = "NVTX";
      e.lane = lane(rows.number(kThread));
      e.kind = type == kPushPop ? EventKind::kNote : EventKind::kSpan;
      if (type != kMark && rows.is_null(kEnd)) {
        builder_.leave_out("ranges", "they have no end");
        continue;
      }
      if (type == kPushPop && is_op(e.name)) {
        e.kind = EventKind::kOp;
        constexpr std::string_view kSequence = ", seq = ";
        if (const size_t at = e.name.find(kSequence); at != e.name.npos) {
          int64_t number = -1;
          const std::string_view digits = e.name.substr(at + kSequence.size());
          std::from_chars(digits.data(), digits.data() + digits.size(), number);
          if (number >= 0) e.sequence = static_cast<uint64_t>(number) + 1;
        }
        e.name = e.name.substr(0, e.name.find(", "));
        e.is_gradient = e.name.find("Backward") != e.name.npos;
        facts_.engine = "torch";
      }
      put(e, rows);
    }
  }

  void read_library_calls(const std::string& table) {
    enum : size_t { kThread = kEnd + 1, kNameId, kTextId };
    NsightTable rows(database_, table, {"start", "end", "globalTid", "nameId", "textId"});
    while (rows.next()) {
      Event e;
      e.kind = EventKind::kSpan;
      e.name = name(rows.number(rows.has(kNameId) && rows.number(kNameId) ? kNameId : kTextId));
      const std::string category = table.substr(0, table.find('_'));
      e.category = category;
      e.lane = lane(rows.number(kThread));
      put(e, rows);
    }
  }

  Builder& builder_;
  FileFacts& facts_;
  session::Database& database_;
  std::unordered_map<int64_t, std::string> names_;
  std::unordered_map<int64_t, std::string> process_names_;
  std::unordered_map<int64_t, std::string_view> thread_names_;
  std::unordered_map<int64_t, uint32_t> lanes_;
  std::unordered_map<int64_t, uint64_t> calls_of_;
  uint64_t most_calls_ = 0;
};

}  // namespace

bool looks_like_nsight(std::string_view begin) {
  if (!begin.starts_with(kSqlite) || begin.size() < kApplicationIdAt + 4) return false;
  uint32_t id = 0;
  for (size_t i = 0; i < 4; ++i) id = id << 8 | static_cast<unsigned char>(begin[kApplicationIdAt + i]);
  return id != static_cast<uint32_t>(session::kApplicationId);
}

void read_nsight(const Import& import) {
  session::ReadOptions options;
  options.go_on = [&import](double share) {
    try {
      import.progress.at(share);
      return true;
    } catch (const Error&) {
      return false;  // the budget says that it was cancelled
    }
  };
  const session::ReadOnlyFile file(plain_or_unpacked(import.source));
  session::Budget budget(std::move(options));
  budget.begin(file.stored());
  try {
    session::Database database = session::Database::open_untrusted(file, budget);
    NsightReader(import, database).read();
  } catch (const Error& error) {
    budget.check();
    if (error.kind() == ErrorKind::kValue || error.kind() == ErrorKind::kCancelled || error.kind() == ErrorKind::kIo ||
        import.builder.events() == 0)
      throw Error(error.kind(), error.message().find(import.facts.path) == std::string::npos
                                    ? str(import.facts.path, ": ", error.message())
                                    : error.message());
    import.builder.leave_out("the rest of the file", "it is damaged: " + error.message());
  }
}

}  // namespace footlight::foreign
