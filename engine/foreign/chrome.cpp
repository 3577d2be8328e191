// Reads trace events one by one. https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
#include "engine/foreign/chrome.h"

#include "engine/base/text.h"
#include "engine/foreign/chrome_events.h"
#include "engine/foreign/json.h"
#include "engine/foreign/json_stream.h"

namespace footlight::foreign {
namespace {

constexpr size_t kMaxEvent = 4 << 20, kMaxFact = 1 << 20;

std::string_view without_spaces(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const size_t first = text.find_first_not_of(" \n\r\t");
  return first == text.npos ? std::string_view() : text.substr(first);
}

int number_within(std::string_view value, int least, int most) {
  return static_cast<int>(std::clamp<int64_t>(json_integer(value).value_or(least), least, most));
}

// The facts that Kineto adds beside the events.
void take_fact(const std::string& key, std::string_view value, Builder& builder, FileFacts& facts) {
  if (key == "baseTimeNanoseconds") {
    if (const auto base = json_integer(value)) facts.base_ns = *base;
  } else if (key == "distributedInfo") {
    for (JsonParts part(value); part.next();) {
      if (part.key == "rank") facts.rank = number_within(part.value, 0, 1 << 24);
      if (part.key == "world_size") facts.world = number_within(part.value, 1, 1 << 24);
    }
  } else if (key == "deviceProperties") {
    for (JsonParts device(value); device.next();) {
      uint32_t number = 0;
      std::string name;
      for (JsonParts part(device.value); part.next();) {
        if (part.key == "id") number = static_cast<uint32_t>(number_within(part.value, 0, 1 << 20));
        if (part.key == "name") name = json_text(part.value);
      }
      if (name.empty()) continue;
      builder.name_device(number, name);
      if (facts.machine.find(name) == std::string::npos) facts.machine += (facts.machine.empty() ? "" : ", ") + name;
    }
  } else if (key == "schemaVersion" || key == "trace_id" || key == "traceName" || key == "record_shapes") {
    facts.engine = "torch";
    facts.format = "Kineto";
  } else if (key == "pytorch_version" || key == "torch_version") {
    facts.engine_version = json_text(value);
  }
}

class ChromeReader {
 public:
  ChromeReader(Input& input, Builder& builder, FileFacts& facts)
      : input_(input), stream_(input), builder_(builder), facts_(facts), events_(builder, facts) {}

  void read() {
    facts_.format = "Chrome JSON";
    char first = stream_.peek();
    if (first == '\xEF') {
      for (int i = 0; i < 3; ++i) stream_.skip(), first = stream_.peek();
    }
    if (first == '[') read_list();
    else if (first == '{') read_object();
    events_.finish();
    if (!damage_.empty() || !input_.damage().empty()) {
      const std::string why = input_.damage().empty() ? damage_ : input_.damage();
      if (builder_.events() == 0) fail(ErrorKind::kValue, facts_.path, ": ", why, "; no event could be read");
      builder_.leave_out("parts of the file, the last one", why);
    }
    if (builder_.events() == 0) fail(ErrorKind::kValue, facts_.path, " holds no trace event that has a time");
  }

 private:
  void damaged(const char* what) {
    if (damage_.empty()) damage_ = str(what, " at byte ", stream_.position());
  }
  // True: another element or member follows.
  bool comma(char end) {
    const char c = stream_.peek();
    if (c == ',') {
      stream_.skip();
      if (stream_.peek() != end) return true;  // the format allows a comma behind the last event
      stream_.skip();
      return false;
    }
    if (c == end) {
      stream_.skip();
      return false;
    }
    damaged(c ? "the JSON is damaged" : "the file ends too early");
    return false;
  }
  void read_list() {
    stream_.skip();
    if (stream_.peek() == ']') return stream_.skip();
    bool too_long = false;
    do {
      if (!stream_.value(text_, kMaxEvent, too_long)) return damaged("the file is damaged or ends too early");
      if (too_long) builder_.leave_out("events", "they were larger than 4 MB");
      else if (text_[0] != '{') builder_.leave_out("events", "they are no JSON objects");
      else if (!events_.add(text_)) builder_.leave_out("events", "their JSON is damaged");
    } while (comma(']'));
  }
  void read_object() {
    stream_.skip();
    if (stream_.peek() == '}') return;
    bool too_long = false;
    do {
      if (stream_.peek() != '"' || !stream_.value(text_, kMaxFact, too_long)) return damaged("the JSON is damaged");
      const std::string key = json_text(text_);
      if (stream_.peek() != ':') return damaged("the JSON is damaged");
      stream_.skip();
      if (key == "traceEvents" && stream_.peek() == '[') {
        read_list();
        if (!damage_.empty()) return;
        continue;
      }
      if (!stream_.value(text_, kMaxFact, too_long)) return damaged("the file is damaged or ends too early");
      if (!too_long) take_fact(key, text_, builder_, facts_);
    } while (comma('}'));
  }

  Input& input_;
  JsonStream stream_;
  Builder& builder_;
  FileFacts& facts_;
  ChromeEvents events_;
  std::string text_, damage_;
};

}  // namespace

bool looks_like_chrome(std::string_view begin) {
  begin = without_spaces(begin);
  if (begin.starts_with('[')) {
    begin = without_spaces(begin.substr(1));
    return begin.starts_with('{') && (begin.find("\"ph\"") != begin.npos);
  }
  if (!begin.starts_with('{')) return false;
  return begin.find("\"traceEvents\"") != begin.npos || begin.find("\"baseTimeNanoseconds\"") != begin.npos ||
         (begin.find("\"deviceProperties\"") != begin.npos && begin.find("\"schemaVersion\"") != begin.npos);
}

void read_chrome(Input& input, Builder& builder, FileFacts& facts) { ChromeReader(input, builder, facts).read(); }

}  // namespace footlight::foreign
