// The numbers of the fields are those of tsl/profiler/protobuf/xplane.proto.
#include "engine/foreign/xplane.h"

#include "engine/base/text.h"
#include "engine/wire/protobuf.h"

#include <algorithm>
#include <cstring>

namespace footlight::foreign {
namespace {

using wire::ProtobufReader;
constexpr size_t kMaxStats = 64;

struct Stat {
  std::string_view name, text;
  int64_t number = 0;
  double real = 0;
  enum class Kind : uint8_t { kText, kNumber, kReal, kBytes } kind = Kind::kNumber;
};

struct EventKindFacts {
  std::string_view name, display;
  std::vector<std::string_view> stats;
};

void append_json_text(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\', out += c;
    else if (static_cast<unsigned char>(c) < 0x20) out += ' ';
    else out += c;
  }
  out += '"';
}

// Adds picoseconds to a start in nanoseconds; false on overflow.
bool add_picoseconds(int64_t start, int64_t ps, int64_t& out) {
  return !__builtin_add_overflow(start, ps / 1000, &out);
}

class PlaneReader {
 public:
  PlaneReader(Builder& builder, FileFacts& facts) : builder_(builder), facts_(facts) {}

  bool read(std::string_view bytes) {
    std::vector<std::string_view> lines, stats;
    ProtobufReader plane(bytes);
    while (plane.next()) {
      if (plane.type != wire::kBytes) continue;
      switch (plane.field) {
        case 2: name_ = plane.bytes; break;
        case 3: lines.push_back(plane.bytes); break;
        case 4: add_event_kind(plane.bytes); break;
        case 5: add_stat_name(plane.bytes); break;
        case 6: stats.push_back(plane.bytes); break;
        default: break;
      }
    }
    if (name_.starts_with("Task Environment")) take_environment(stats);
    else if (!name_.starts_with("/host:metadata")) builder_.name_process(name_, name_);
    read_device(stats);
    for (const std::string_view line : lines)
      if (!read_line(line)) builder_.leave_out("lines of the file", "they are damaged");
    return plane.ok();
  }

 private:
  static uint64_t map_entry(std::string_view bytes, std::string_view& value) {
    uint64_t key = 0;
    for (ProtobufReader entry(bytes); entry.next();) {
      if (entry.field == 1 && entry.type == wire::kVarint) key = entry.number;
      if (entry.field == 2 && entry.type == wire::kBytes) value = entry.bytes;
    }
    return key;
  }
  void add_event_kind(std::string_view bytes) {
    std::string_view value;
    const uint64_t key = map_entry(bytes, value);
    EventKindFacts& facts = kinds_[key];
    for (ProtobufReader kind(value); kind.next();) {
      if (kind.type != wire::kBytes) continue;
      if (kind.field == 2) facts.name = kind.bytes;
      if (kind.field == 4) facts.display = kind.bytes;
      if (kind.field == 5 && facts.stats.size() < kMaxStats) facts.stats.push_back(kind.bytes);
    }
  }
  void add_stat_name(std::string_view bytes) {
    std::string_view value;
    const uint64_t key = map_entry(bytes, value);
    for (ProtobufReader stat(value); stat.next();)
      if (stat.field == 2 && stat.type == wire::kBytes) stat_names_[key] = stat.bytes;
  }
  std::string_view stat_name(uint64_t number) const {
    const auto at = stat_names_.find(number);
    return at == stat_names_.end() ? std::string_view() : at->second;
  }
  Stat stat_of(std::string_view bytes) const {
    Stat s;
    for (ProtobufReader field(bytes); field.next();) {
      switch (field.field) {
        case 1:
          if (field.type == wire::kVarint) s.name = stat_name(field.number);
          break;
        case 2:
          if (field.type == wire::kFixed64) std::memcpy(&s.real, field.bytes.data(), 8), s.kind = Stat::Kind::kReal;
          break;
        case 3:
        case 4:
          if (field.type == wire::kVarint) s.number = static_cast<int64_t>(field.number), s.kind = Stat::Kind::kNumber;
          break;
        case 5:
        case 6:
          if (field.type == wire::kBytes)
            s.text = field.bytes, s.kind = field.field == 5 ? Stat::Kind::kText : Stat::Kind::kBytes;
          break;
        case 7:
          if (field.type == wire::kVarint) s.text = stat_name(field.number), s.kind = Stat::Kind::kText;
          break;
        default: break;
      }
    }
    return s;
  }

  // Newer profilers count from this moment; older ones from 1970.
  void take_environment(const std::vector<std::string_view>& stats) {
    for (const std::string_view bytes : stats)
      if (const Stat s = stat_of(bytes); s.name == "profile_start_time") facts_.base_ns = s.number;
  }
  void read_device(const std::vector<std::string_view>& stats) {
    constexpr std::string_view kDevice = "/device:";
    if (!name_.starts_with(kDevice)) return;
    is_device_ = true;
    const size_t colon = name_.rfind(':');
    for (const char c : name_.substr(colon + 1)) {
      if (c < '0' || c > '9' || device_ > 100'000) break;
      device_ = device_ * 10 + static_cast<uint32_t>(c - '0');
    }
    std::string words(name_.substr(kDevice.size()));
    for (const std::string_view bytes : stats)
      if (const Stat s = stat_of(bytes); s.name == "device_type_string" && !s.text.empty()) words = s.text;
    builder_.name_device(device_, words);
    if (facts_.machine.find(words) == std::string::npos) facts_.machine += (facts_.machine.empty() ? "" : ", ") + words;
  }

  bool read_line(std::string_view bytes) {
    uint64_t id = 0;
    std::string_view name, display;
    int64_t start = 0;
    ProtobufReader line(bytes);
    while (line.next()) {
      if (line.field == 1 && line.type == wire::kVarint) id = line.number;
      if (line.field == 2 && line.type == wire::kBytes) name = line.bytes;
      if (line.field == 3 && line.type == wire::kVarint) start = static_cast<int64_t>(line.number);
      if (line.field == 11 && line.type == wire::kBytes) display = line.bytes;
    }
    if (!display.empty()) name = display;
    const uint32_t lane = builder_.lane(name_, str(id));
    builder_.name_lane(lane, name);
    stream_ = static_cast<uint32_t>(id);
    if (const size_t at = name.find("Stream #"); at != name.npos) {
      stream_ = 0;
      for (const char c : name.substr(at + 8)) {
        if (c < '0' || c > '9' || stream_ > 100'000) break;
        stream_ = stream_ * 10 + static_cast<uint32_t>(c - '0');
      }
    }
    const bool is_work = is_device_ && (name.find("Stream #") != name.npos || name == "XLA Ops");
    ProtobufReader events(bytes);
    while (events.next())
      if (events.field == 4 && events.type == wire::kBytes) read_event(events.bytes, lane, start, is_work);
    return line.ok();
  }

  void read_event(std::string_view bytes, uint32_t lane, int64_t line_start, bool is_work) {
    uint64_t kind = 0;
    int64_t offset = 0, took = 0;
    std::vector<std::string_view> raw;
    ProtobufReader field(bytes);
    while (field.next()) {
      if (field.field == 1 && field.type == wire::kVarint) kind = field.number;
      if (field.field == 2 && field.type == wire::kVarint) offset = static_cast<int64_t>(field.number);
      if (field.field == 3 && field.type == wire::kVarint) took = static_cast<int64_t>(field.number);
      if (field.field == 4 && field.type == wire::kBytes && raw.size() < kMaxStats) raw.push_back(field.bytes);
    }
    if (!field.ok()) return builder_.leave_out("events", "they are damaged");
    Event e;
    e.lane = lane;
    int64_t end_ps = 0;
    if (__builtin_add_overflow(offset, took, &end_ps) || !add_picoseconds(line_start, offset, e.start_ns) ||
        !add_picoseconds(line_start, end_ps, e.end_ns))
      return builder_.leave_out("events", "their times are impossible");
    const auto facts = kinds_.find(kind);
    if (facts != kinds_.end()) {
      e.name = facts->second.display.empty() || !is_work ? facts->second.name : facts->second.display;
      raw.insert(raw.end(), facts->second.stats.begin(), facts->second.stats.end());
    }
    if (e.name.empty()) e.name = "event without a name";
    take_stats(raw, e, is_work);
    builder_.add(e);
  }

  void take_stats(const std::vector<std::string_view>& raw, Event& e, bool is_work) {
    std::string_view hlo_op, tf_op, op_name;
    args_ = "{";
    for (const std::string_view bytes : raw) {
      const Stat s = stat_of(bytes);
      if (s.name.empty() || s.kind == Stat::Kind::kBytes) continue;
      if (s.name == "hlo_op") hlo_op = s.text;
      if (s.name == "tf_op" || s.name == "name") tf_op = s.text;
      if (s.name == "long_name" && op_name.empty()) op_name = s.text;
      if (s.name == "correlation_id") e.correlation = s.number > 0 ? static_cast<uint64_t>(s.number) : 0;
      if (s.name == "bytes_accessed" || s.name == "num_bytes")
        e.bytes = s.number > 0 ? static_cast<uint64_t>(s.number) : 0;
      if (args_.size() > 1) args_ += ',';
      append_json_text(args_, s.name);
      args_ += ':';
      if (s.kind == Stat::Kind::kText) append_json_text(args_, s.text);
      else args_ += s.kind == Stat::Kind::kReal ? str(s.real) : str(s.number);
    }
    args_ += '}';
    if (args_.size() > 2) e.args = args_;
    if (is_work) {
      const bool copies = e.name.starts_with("Memcpy") || e.name.starts_with("memcpy");
      e.kind = copies ? EventKind::kMemcpy
               : e.name.starts_with("Memset") || e.name.starts_with("memset") ? EventKind::kMemset : EventKind::kKernel;
      e.device = device_;
      e.stream = stream_;
      e.annotation = !tf_op.empty() ? tf_op : hlo_op;
    } else if (is_device_) {
      e.kind = EventKind::kSpan;
    } else if (e.correlation && (e.name.starts_with("cu") || e.name.starts_with("hip"))) {
      e.kind = e.name.starts_with("cuda") || e.name.starts_with("hip") ? EventKind::kRuntime : EventKind::kDriver;
    } else if (!hlo_op.empty()) {
      e.kind = EventKind::kOp;
    } else if (e.name.starts_with('$')) {
      e.kind = EventKind::kFrame;
    } else if (const size_t colon = e.name.find(':'); is_tensorflow_op(e.name, colon)) {
      e.kind = EventKind::kOp;
      e.name = e.name.substr(colon + 1);
    }
  }
  // "model/dense/MatMul:MatMul": the node and the op.
  static bool is_tensorflow_op(std::string_view name, size_t colon) {
    if (colon == name.npos || colon == 0 || colon + 1 >= name.size()) return false;
    const std::string_view op = name.substr(colon + 1);
    if (op[0] < 'A' || (op[0] > 'Z' && op[0] != '_')) return false;
    const auto is_of_name = [](char c) {
      return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    };
    return std::ranges::all_of(op, is_of_name) && name.substr(0, colon).find_first_of(" :()") == name.npos;
  }

  Builder& builder_;
  FileFacts& facts_;
  std::string_view name_;
  bool is_device_ = false;
  uint32_t device_ = 0, stream_ = 0;
  std::unordered_map<uint64_t, EventKindFacts> kinds_;
  std::unordered_map<uint64_t, std::string_view> stat_names_;
  std::string args_;
};

}  // namespace

// Reads the name of the first plane, by which the format is told.
bool looks_like_xplane(std::string_view begin) {
  if (begin.empty() || begin[0] != '\x0a') return false;
  begin.remove_prefix(1);
  uint64_t size = 0;
  if (!wire::take_varint(begin, size)) return false;
  ProtobufReader plane(begin.substr(0, static_cast<size_t>(std::min<uint64_t>(size, begin.size()))));
  while (plane.next()) {
    if (plane.field == 2 && plane.type == wire::kBytes)
      return plane.bytes.starts_with("/host:") || plane.bytes.starts_with("/device:") ||
             plane.bytes.starts_with("Task Environment") || plane.bytes.starts_with("#Chip");
    if (plane.field > 2) return false;
  }
  return false;
}

void read_xplane(std::string_view bytes, Builder& builder, FileFacts& facts) {
  facts.format = "XPlane";
  ProtobufReader space(bytes);
  while (space.next()) {
    if (space.type != wire::kBytes) continue;
    if (space.field == 1 && !PlaneReader(builder, facts).read(space.bytes))
      builder.leave_out("the rest of a plane", "the file is damaged");
    if (space.field == 4 && facts.host.empty()) facts.host = space.bytes;
    if (space.field == 2) builder.leave_out("what the profiler missed", std::string(space.bytes.substr(0, 300)));
  }
  if (builder.events() == 0)
    fail(ErrorKind::kValue, facts.path, space.ok() ? " holds no event" : " is damaged; no event could be read");
  if (!space.ok()) builder.leave_out("the rest of the file", "it is damaged or ends too early");
}

}  // namespace footlight::foreign
