// Categories of Kineto in all its versions, and those of Chrome; threads of XLA's profiler by their names.
#include "engine/foreign/chrome_events.h"

#include "engine/base/text.h"
#include "engine/foreign/json.h"
#include "engine/foreign/tensor_types.h"

#include <algorithm>
#include <functional>

namespace footlight::foreign {
namespace {

constexpr size_t kMaxOpenBytes = 32 << 20, kMaxStacks = 200'000;

uint64_t number(std::string_view value) {
  const auto found = json_integer(value);
  return found && *found > 0 ? static_cast<uint64_t>(*found) : 0;
}

uint32_t small(std::string_view value) { return static_cast<uint32_t>(std::min<uint64_t>(number(value), UINT32_MAX)); }

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

uint64_t hash_of(std::string_view a, std::string_view b, std::string_view c) {
  const std::hash<std::string_view> hash;
  return (hash(a) * 31 + hash(b)) * 31 + hash(c);
}

}  // namespace

ChromeEvents::Arguments ChromeEvents::arguments_of(std::string_view args) {
  Arguments a;
  if (!args.starts_with('{')) return a;
  for (JsonParts part(args); part.next();) {
    const std::string_view key = part.key;
    if (key == "correlation") a.correlation = part.value;
    else if (key == "External id" || key == "external id") a.external = part.value;
    else if (key == "bytes" || key == "Bytes") a.bytes = part.value;
    else if (key == "device") a.device = part.value;
    else if (key == "context") a.context = part.value;
    else if (key == "stream") a.stream = part.value;
    else if (key == "Sequence number") a.sequence = part.value;
    else if (key == "Fwd thread id") a.forward_thread = part.value;
    else if (key == "Call stack") a.stack = part.value;
    else if (key == "Input Dims" || key == "Input dims") a.dims = part.value;
    else if (key == "Input type") a.types = part.value;
    else if (key == "name") a.name = part.value;
    else if (key == "Total Allocated") a.total_allocated = part.value;
    else if (key == "Device Type") a.device_type = part.value;
    else if (key == "Device Id") a.device_id = part.value;
    else if (key == "hlo_op") a.hlo_op = part.value;
  }
  return a;
}

uint32_t ChromeEvents::lane_of(const Fields& f) {
  lane_key_.assign(f.pid);
  lane_key_ += '\n';
  lane_key_ += f.tid;
  if (const auto at = lanes_.find(lane_key_); at != lanes_.end()) return at->second;
  const uint32_t lane = builder_.lane(json_text(f.pid), json_text(f.tid));
  if (lanes_.size() < 100'000) lanes_.emplace(lane_key_, lane);
  return lane;
}

bool ChromeEvents::add(std::string_view object) {
  Fields f;
  JsonParts part(object);
  while (part.next()) {
    const std::string_view key = part.key;
    if (key == "ph") f.phase = part.value;
    else if (key == "name") f.name = part.value;
    else if (key == "cat") f.category = part.value;
    else if (key == "ts") f.ts = part.value;
    else if (key == "dur") f.dur = part.value;
    else if (key == "pid") f.pid = part.value;
    else if (key == "tid") f.tid = part.value;
    else if (key == "id") f.id = part.value;
    else if (key == "args") f.args = part.value;
    else if (key == "id2" && f.id.empty()) f.id = part.value;
  }
  if (!part.ok()) return false;
  if (f.phase.empty() && f.name.empty() && f.ts.empty()) return true;  // some writers end a list with an empty object
  if (!is_json_text(f.phase) || f.phase.size() != 3) {
    builder_.leave_out("events", "they do not say what kind they are");
    return true;
  }
  const char phase = f.phase[1];
  if (phase == 'M') return metadata(f), true;
  const auto time = json_scaled(f.ts, 3);
  if (!time) {
    builder_.leave_out("events", "they have no time");
    return true;
  }
  const auto thread_key = [&] { return hash_of("", f.pid, f.tid); };
  const auto beside_key = [&] { return hash_of(f.category, f.pid, f.id) | 1; };
  switch (phase) {
    case 'X': {
      const auto took = f.dur.empty() ? std::optional<int64_t>(0) : json_scaled(f.dur, 3);
      int64_t end = 0;
      if (!took || __builtin_add_overflow(*time, *took, &end)) {
        builder_.leave_out("events", "their durations are no numbers");
        return true;
      }
      complete(f, *time, end);
      break;
    }
    case 'B': begin(f, thread_key() & ~uint64_t{1}, lane_of(f), *time); break;
    case 'E': end(f, thread_key() & ~uint64_t{1}, *time); break;
    case 'b':
    case 'S':
      begin(f, beside_key(), builder_.lane(json_text(f.pid), str("beside the threads: ", json_text(f.category))),
            *time);
      break;
    case 'e':
    case 'F': end(f, beside_key(), *time); break;
    case 'i':
    case 'I':
    case 'R':
    case 'n': {
      const Arguments a = arguments_of(f.args);
      if (!a.total_allocated.empty()) memory(f, a, *time);
      else complete(f, *time, *time);
      break;
    }
    case 'C': counter(f, *time); break;
    case 's':
    case 't':
    case 'f': {
      const std::string category = json_text(f.category);
      if (category == "ac2g" || category == "async_cpu_to_gpu") break;  // the correlation says the same
      const uint64_t arrow = hash_of(f.category, f.name, f.id);
      builder_.add_flow(lane_of(f), *time, arrow ? arrow : 1, phase != 's');
      break;
    }
    default: builder_.leave_out("events", str("Footlight shows none of the kind \"", json_text(f.phase), "\""));
  }
  return true;
}

void ChromeEvents::metadata(const Fields& f) {
  const std::string what = json_text(f.name);
  const std::string name = json_text(arguments_of(f.args).name);
  if (name.empty()) return;
  if (what == "process_name") builder_.name_process(json_text(f.pid), name);
  if (what == "thread_name") builder_.name_lane(lane_of(f), name);
}

EventKind ChromeEvents::kind_of(std::string_view category, std::string_view name, uint32_t lane, const Arguments& a) {
  if (category == "cpu_op" || category == "operator") return EventKind::kOp;
  if (category == "kernel" || category == "mtia_ccp_events") return EventKind::kKernel;
  if (category == "gpu_memcpy" || category == "memcpy") return EventKind::kMemcpy;
  if (category == "gpu_memset" || category == "memset") return EventKind::kMemset;
  if (category == "cuda_runtime" || category == "runtime" || category == "hip_runtime" || category == "xpu_runtime" ||
      category == "privateuse1_runtime" || category == "mtia_runtime")
    return EventKind::kRuntime;
  if (category == "cuda_driver" || category == "privateuse1_driver" || category == "xpu_driver")
    return EventKind::kDriver;
  if (category == "cuda_sync") return EventKind::kSync;
  if (category == "overhead") return EventKind::kOverhead;
  if (category == "python_function") return EventKind::kFrame;
  if (category == "user_annotation") return EventKind::kNote;
  if (!category.empty()) return EventKind::kSpan;
  // XLA's profiler says by the names of rows what lies on them.
  const std::string& row = builder_.lane_name(lane);
  if (builder_.process_name(lane).starts_with("/device:")) {
    if (row.starts_with("Stream #")) {
      if (name.starts_with("Memcpy") || name.starts_with("memcpy")) return EventKind::kMemcpy;
      if (name.starts_with("Memset") || name.starts_with("memset")) return EventKind::kMemset;
      return EventKind::kKernel;
    }
    if (row == "XLA Ops") return EventKind::kKernel;
  } else if (!a.hlo_op.empty()) {
    return EventKind::kOp;
  }
  return EventKind::kSpan;
}

void ChromeEvents::complete(const Fields& f, int64_t start, int64_t end) {
  const Arguments a = arguments_of(f.args);
  const uint32_t lane = lane_of(f);
  put(kind_of(lower(json_text(f.category)), json_text(f.name), lane, a), f, a, lane, start, end);
}

void ChromeEvents::put(EventKind kind, const Fields& f, const Arguments& a, uint32_t lane, int64_t start,
                       int64_t end) {
  Event e;
  e.kind = kind;
  e.lane = lane;
  e.start_ns = start;
  e.end_ns = end;
  last_ = std::max(last_, end);
  const std::string name = json_text(f.name), category = json_text(f.category);
  e.name = name;
  e.category = category;
  e.args = f.args.starts_with('{') ? f.args : std::string_view();
  e.correlation = number(a.correlation);
  e.external = number(a.external);
  if (kind == EventKind::kOp) {
    shapes(a, e);
    e.sequence = a.sequence.empty() ? 0 : number(a.sequence) + 1;
    e.is_gradient = number(a.forward_thread) != 0;
    if (!a.stack.empty()) e.location = stack(a.stack);
    facts_.engine = facts_.engine.empty() && name.starts_with("aten::") ? "torch" : facts_.engine;
    const auto pid = json_integer(f.pid);
    if (pid && *pid > 0 && ops_of_process_.size() < 1000) {
      uint64_t& count = ops_of_process_[*pid];
      if (++count > ops_of_process_[facts_.pid] || !facts_.pid) facts_.pid = *pid;
    }
  } else if (is_device_event(kind)) {
    e.bytes = number(a.bytes);
    if (!a.device.empty()) e.device = small(a.device);
    else if (is_device_work(kind)) e.device = small(f.pid);
    e.context = small(a.context);
    e.stream = a.stream.empty() ? small(f.tid) : small(a.stream);
  }
  builder_.add(e);
}

// --- events in two halves, counters ----------------------------------------------------------------------------------

void ChromeEvents::begin(const Fields& f, uint64_t key, uint32_t lane, int64_t start) {
  const size_t bytes = f.name.size() + f.category.size() + f.args.size() + sizeof(Begun);
  if (open_bytes_ + bytes > kMaxOpenBytes) return builder_.leave_out("events", "too many had begun and not ended");
  open_bytes_ += bytes;
  Open& open = open_[key];
  open.lane = lane;
  open.begun.push_back({start, std::string(f.name), std::string(f.category), std::string(f.args)});
  last_ = std::max(last_, start);
}

void ChromeEvents::end(const Fields& f, uint64_t key, int64_t time) {
  const auto at = open_.find(key);
  if (at == open_.end() || at->second.begun.empty())
    return builder_.leave_out("ends of events", "nothing had begun that they could end");
  const Begun begun = std::move(at->second.begun.back());
  at->second.begun.pop_back();
  open_bytes_ -= std::min(open_bytes_, begun.name.size() + begun.category.size() + begun.args.size() + sizeof(Begun));
  const uint32_t lane = at->second.lane;
  if (at->second.begun.empty()) open_.erase(at);
  Fields whole = f;
  whole.name = begun.name;
  whole.category = begun.category;
  whole.args = begun.args.empty() ? f.args : std::string_view(begun.args);
  const Arguments a = arguments_of(whole.args);
  put(kind_of(lower(json_text(whole.category)), json_text(whole.name), lane, a), whole, a, lane, begun.start, time);
}

void ChromeEvents::finish() {
  for (auto& [key, open] : open_) {
    for (const Begun& begun : open.begun) {
      builder_.leave_out("ends of events", "the file does not have them; the events end with the last one");
      Fields f;
      f.name = begun.name;
      f.category = begun.category;
      f.args = begun.args;
      put(EventKind::kSpan, f, arguments_of(f.args), open.lane, begun.start, std::max(begun.start, last_));
    }
  }
  open_.clear();
}

void ChromeEvents::counter(const Fields& f, int64_t time) {
  if (!f.args.starts_with('{')) return builder_.leave_out("counters", "they have no value");
  const std::string name = json_text(f.name), process = json_text(f.pid);
  for (JsonParts part(f.args); part.next();) {
    const auto value = json_number(part.value);
    if (!value) {
      builder_.leave_out("counters", "their values are no numbers");
      continue;
    }
    Event e;
    e.kind = EventKind::kCounter;
    e.lane = builder_.counter(process, part.key == "value" || part.key == name ? name : str(name, ' ', part.key));
    e.start_ns = e.end_ns = time;
    e.value = *value;
    builder_.add(e);
  }
}

// PyTorch's memory: each change says how much there is now.
void ChromeEvents::memory(const Fields& f, const Arguments& a, int64_t time) {
  const auto value = json_number(a.total_allocated);
  if (!value) return builder_.leave_out("counters", "their values are no numbers");
  const bool host = number(a.device_type) == 0;
  const uint32_t device = small(a.device_id);
  Event e;
  e.kind = EventKind::kCounter;
  e.lane = builder_.counter(json_text(f.pid), host ? std::string("memory") : str("GPU ", device, " memory"), true,
                            host ? 0 : device + 1);
  e.start_ns = e.end_ns = time;
  e.value = *value;
  builder_.add(e);
}

// --- arguments of ops ------------------------------------------------------------------------------------------------

void ChromeEvents::shapes(const Arguments& a, Event& event) {
  inputs_.clear();
  if (!a.dims.starts_with('[')) return;
  JsonParts dims(a.dims), types(a.types.starts_with('[') ? a.types : std::string_view("[]"));
  while (dims.next()) {
    const std::string type = types.next() ? json_text(types.value) : std::string();
    const TensorType known = tensor_type(type);
    if (!dims.value.starts_with('[') || (dims.value == "[]" && !known.bytes)) continue;  // no tensor
    if (!inputs_.empty()) inputs_ += ", ";
    inputs_ += known.name.empty() ? type : known.name;
    inputs_ += '[';
    uint64_t bytes = known.bytes;
    bool is_list = false;
    for (JsonParts size(dims.value); size.next();) {
      if (inputs_.back() != '[') inputs_ += ',';
      is_list = is_list || size.value.starts_with('[');  // a list of tensors
      inputs_ += size.value.substr(0, 24);
      if (__builtin_mul_overflow(bytes, number(size.value), &bytes)) bytes = 0;
    }
    inputs_ += ']';
    if (!is_list && __builtin_add_overflow(event.input_bytes, bytes, &event.input_bytes)) event.input_bytes = 0;
    if (inputs_.size() > 1000) break;
  }
  event.inputs = inputs_;
}

// "model.py(57): forward;train.py(12): step": the innermost comes first.
LocationNumber ChromeEvents::stack(std::string_view value) {
  const auto [at, added] = stacks_.try_emplace(std::string(value), kNoLocation);
  if (!added) return at->second;
  if (stacks_.size() > kMaxStacks) {
    stacks_.erase(at);
    return kNoLocation;
  }
  const std::string words = json_text(value);
  std::vector<std::string_view> frames;
  for (std::string_view rest = words; !rest.empty() && frames.size() < 500;) {
    const size_t end = std::min(rest.find(';'), rest.size());
    frames.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  LocationNumber location = kNoLocation;
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame)
    location = builder_.locations().called(location, builder_.locations().frame(*frame));
  return at->second = location;
}

}  // namespace footlight::foreign
