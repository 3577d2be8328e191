// Writes keys into the session.
#include "engine/trace/key_record.h"

#include "engine/session/writer.h"

namespace footlight::trace {

bool KeyRecords::find(std::span<const uint64_t> words) {
  const uint32_t recording = recording_number.load(std::memory_order_relaxed);
  if (recording != recording_) known_.clear();
  recording_ = recording;
  last_.words.assign(words.begin(), words.end());
  last_.id = {};
  const uint64_t hash = keys::hash_words(words);
  for (auto [at, end] = known_.equal_range(hash); at != end; ++at) {
    if (at->second.words != last_.words) continue;
    last_.id = at->second.id;
    return true;
  }
  return known_.size() >= kMaxKnownKeys || !recording_structure() || !session::active_writer();
}

KeyId KeyRecords::add(FunctionId function, const std::shared_ptr<const keys::Names>& names) {
  session::Writer* const writer = session::active_writer();
  if (!writer) return {};
  last_.id = session::new_key_id();
  known_.emplace(keys::hash_words(last_.words), last_);
  session::KeyRecord record{last_.id, function, last_.words, {}};
  if (names)
    for (const auto& [number, object] : *names) record.names.push_back({number, object.name, object.since_ns});
  std::ranges::sort(record.names, {}, &session::KeyName::number);
  writer->add(std::move(record));
  return last_.id;
}

}  // namespace footlight::trace
