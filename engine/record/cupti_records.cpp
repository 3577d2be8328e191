// Reads CUPTI's records by kind and version.
#include "engine/record/cupti_records.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace footlight::cupti {
namespace {

// A correlation is forgotten after this many newer ones: a kernel may be delivered long after its launch.
constexpr size_t kMaxCauses = size_t{1} << 18;

template <class T>
T load(const Activity* record) {
  T value;
  std::memcpy(&value, record, sizeof(T));
  return value;
}

size_t fields_size(Kind kind) {
  switch (kind) {
    case Kind::kConcurrentKernel: return sizeof(Kernel);
    case Kind::kMemcpy: return sizeof(Memcpy);
    case Kind::kMemcpy2: return sizeof(MemcpyPeer);
    case Kind::kMemset: return sizeof(Memset);
    case Kind::kDriver:
    case Kind::kRuntime: return sizeof(Api);
    case Kind::kExternalCorrelation: return sizeof(ExternalCorrelation);
    case Kind::kOverhead: return sizeof(Overhead);
    case Kind::kSynchronization: return sizeof(Synchronization);
    case Kind::kContext: return sizeof(Context);
  }
  return 0;
}

const char* copy_name(uint8_t kind) {
  static constexpr const char* kNames[] = {"copy",
                                           "copy host to device",
                                           "copy device to host",
                                           "copy host to array",
                                           "copy array to host",
                                           "copy array to array",
                                           "copy array to device",
                                           "copy device to array",
                                           "copy device to device",
                                           "copy host to host",
                                           "copy between devices"};
  return kind < std::size(kNames) ? kNames[kind] : kNames[0];
}

const char* synchronization_name(uint32_t type) {
  static constexpr const char* kNames[] = {"synchronize", "wait for event", "stream waits for event",
                                           "wait for stream", "wait for context"};
  return type < std::size(kNames) ? kNames[type] : kNames[0];
}

const char* overhead_name(uint32_t kind) {
  if (kind == 1) return "driver compiles";
  static constexpr const char* kNames[] = {"overhead",
                                           "flush of CUPTI buffers",
                                           "CUPTI instrumentation",
                                           "CUPTI resources",
                                           "module loading",
                                           "lazy function loading",
                                           "command buffer full",
                                           "CUPTI asks for a buffer",
                                           "managed memory tracing"};
  const uint32_t group = kind >> 16;
  return group < std::size(kNames) ? kNames[group] : kNames[0];
}

}  // namespace

RecordReader::RecordReader(std::shared_ptr<Library> library, int64_t clock_shift)
    : library_(std::move(library)), shift_(clock_shift) {}

void RecordReader::read(uint8_t* buffer, size_t valid) {
  const uint8_t* const end = buffer + valid;
  Activity* record = nullptr;
  for (;;) {
    const Result result = library_->f().next_record(buffer, valid, &record);
    if (result == kMaxLimitReached) return;
    const uint8_t* const at = reinterpret_cast<const uint8_t*>(record);
    if (result != kSuccess || at < buffer || at > end || static_cast<size_t>(end - at) < sizeof(Kind)) {
      ++unreadable_;
      return;
    }
    const Kind kind = load<Activity>(record).kind;
    const size_t needed = std::max(fields_size(kind), record_size(kind, library_->version()));
    if (static_cast<size_t>(end - at) < needed) {
      ++unreadable_;
      return;
    }
    read_one(record);
  }
}

template <class Work>
void RecordReader::stream_work(session::DeviceRecord out, const Work& work) {
  out.device = work.device;
  out.context = work.context;
  out.stream = work.stream;
  out.correlation = work.correlation;
  device_work(std::move(out), work.start, work.end);
}

void RecordReader::read_one(const Activity* record) {
  session::DeviceRecord out;
  switch (load<Activity>(record).kind) {
    case Kind::kExternalCorrelation: return external(load<ExternalCorrelation>(record));
    case Kind::kRuntime: return api(load<Api>(record), kDomainRuntime, "runtime");
    case Kind::kDriver: return api(load<Api>(record), kDomainDriver, "driver");
    case Kind::kContext: {
      const auto context = load<Context>(record);
      device_of_context_[context.context] = context.device;
      return;
    }
    case Kind::kConcurrentKernel: {
      const auto kernel = load<Kernel>(record);
      out.kind = "kernel";
      out.name = readable_name(kernel.name);
      return stream_work(std::move(out), kernel);
    }
    case Kind::kMemcpy: {
      const auto copy = load<Memcpy>(record);
      out.kind = "memcpy";
      out.name = copy_name(copy.copy_kind);
      out.bytes = copy.bytes;
      return stream_work(std::move(out), copy);
    }
    case Kind::kMemcpy2: {
      const auto copy = load<MemcpyPeer>(record);
      out.kind = "memcpy";
      out.name = "copy from device " + std::to_string(copy.source_device) + " to device " +
                 std::to_string(copy.destination_device);
      out.bytes = copy.bytes;
      return stream_work(std::move(out), copy);
    }
    case Kind::kMemset: {
      const auto set = load<Memset>(record);
      out.kind = "memset";
      out.name = "memset";
      out.bytes = set.bytes;
      return stream_work(std::move(out), set);
    }
    case Kind::kSynchronization: {
      const auto wait = load<Synchronization>(record);
      out.kind = "sync";
      out.name = synchronization_name(wait.type);
      out.context = wait.context;
      out.stream = wait.stream == UINT32_MAX ? 0 : wait.stream;  // UINT32_MAX: no stream
      out.correlation = wait.correlation;
      const auto device = device_of_context_.find(wait.context);
      if (device != device_of_context_.end()) out.device = device->second;
      return device_work(std::move(out), wait.start, wait.end);
    }
    case Kind::kOverhead: {
      const auto overhead = load<Overhead>(record);
      out.kind = "overhead";
      out.name = overhead_name(overhead.overhead_kind);
      if (library_->version() >= kVersion13_0) {
        const auto more = load<OverheadWithData>(record);
        out.correlation = more.correlation;
        std::free(more.data);
      }
      if (overhead.object_kind == 2) out.thread = overhead.object[1];  // (process, thread)
      return device_work(std::move(out), overhead.start, overhead.end);
    }
  }
}

void RecordReader::external(const ExternalCorrelation& record) {
  Cause& cause = cause_of(record.correlation);
  if (record.external_kind == kCustom0) cause.op_event = record.external;
  if (record.external_kind == kCustom1) cause.call = CallId(record.external);
}

void RecordReader::api(const Api& record, CallbackDomain domain, const char* kind) {
  session::DeviceRecord out;
  out.kind = kind;
  out.name = api_name(domain, record.function);
  out.thread = record.thread;
  out.correlation = record.correlation;
  cause_of(record.correlation).api_seen = true;
  if (record.start == 0 && record.end == 0) {
    ++untimed_;
    return;
  }
  out.start_ns = static_cast<int64_t>(record.start) - shift_;
  out.end_ns = static_cast<int64_t>(record.end) - shift_;
  apply_cause(out);
  ready_.push_back(std::move(out));
}

void RecordReader::device_work(session::DeviceRecord record, uint64_t start, uint64_t end) {
  if (start == 0 && end == 0) {
    ++untimed_;
    return;
  }
  record.start_ns = static_cast<int64_t>(start) - shift_;
  record.end_ns = static_cast<int64_t>(end) - shift_;
  // Correlation 0 belongs to no API call, so no cause will come. Overhead may belong to muted calls: do not wait.
  if (apply_cause(record) || record.correlation == 0 || record.kind == "overhead")
    ready_.push_back(std::move(record));
  else
    waiting_.push_back({std::move(record)});
}

RecordReader::Cause& RecordReader::cause_of(uint32_t correlation) {
  const auto [at, fresh] = causes_.try_emplace(correlation);
  if (fresh) {
    oldest_causes_.push_back(correlation);
    if (oldest_causes_.size() > kMaxCauses) {
      causes_.erase(oldest_causes_.front());
      oldest_causes_.pop_front();
    }
  }
  return at->second;
}

// Fills in what is known of the cause; true if nothing more will become known.
bool RecordReader::apply_cause(session::DeviceRecord& record) {
  const auto at = causes_.find(record.correlation);
  if (at == causes_.end()) return false;
  record.op_event = at->second.op_event;
  record.call = at->second.call;
  return at->second.api_seen;
}

void RecordReader::flushed() {
  std::vector<Waiting> still;
  for (Waiting& w : waiting_) {
    if (apply_cause(w.record) || ++w.flushes > kMaxFlushesToWait)
      ready_.push_back(std::move(w.record));
    else
      still.push_back(std::move(w));
  }
  waiting_ = std::move(still);
}

std::vector<session::DeviceRecord> RecordReader::take(bool all) {
  if (all) {
    for (Waiting& w : waiting_) {
      apply_cause(w.record);
      ready_.push_back(std::move(w.record));
    }
    waiting_.clear();
  }
  return std::exchange(ready_, {});
}

const std::string& RecordReader::readable_name(const char* mangled) {
  const auto [at, fresh] = names_.try_emplace(mangled ? mangled : "");
  if (fresh) {
    int status = 0;
    char* text = mangled ? abi::__cxa_demangle(mangled, nullptr, nullptr, &status) : nullptr;
    at->second = text ? text : at->first.empty() ? "kernel" : at->first;
    std::free(text);
  }
  return at->second;
}

const std::string& RecordReader::api_name(CallbackDomain domain, uint32_t function) {
  const auto [at, fresh] = api_names_.try_emplace(uint64_t{domain} << 32 | function);
  if (fresh) {
    const char* name = nullptr;
    if (library_->f().callback_name(domain, function, &name) == kSuccess && name)
      at->second = name;
    else
      at->second = (domain == kDomainDriver ? "driver call " : "runtime call ") + std::to_string(function);
    // Cuts "cudaMemcpyAsync_v3020": the version means nothing to a reader.
    const size_t cut = at->second.rfind("_v");
    if (cut != std::string::npos && at->second.find_first_not_of("0123456789", cut + 2) == std::string::npos)
      at->second.resize(cut);
  }
  return at->second;
}

}  // namespace footlight::cupti
