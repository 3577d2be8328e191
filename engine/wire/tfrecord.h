// The frames of TFRecord files: a head of the size and its checksum, the record, a tail of its checksum.
#pragma once

#include "engine/base/crc32c.h"
#include "engine/wire/varint.h"

#include <optional>

namespace footlight::wire {

inline constexpr size_t kRecordHead = 12, kRecordTail = 4;  // bytes

inline void put_record(std::string& out, std::string_view record) {
  const size_t head = out.size();
  put_fixed(out, uint64_t{record.size()});
  put_fixed(out, masked_crc32c(crc32c(std::string_view(out).substr(head))));
  out += record;
  put_fixed(out, masked_crc32c(crc32c(record)));
}

// The size that a head gives; nothing where it does not match its checksum.
inline std::optional<uint64_t> record_size(const char* head) {
  if (fixed_at<uint32_t>(head + 8) != masked_crc32c(crc32c({head, 8}))) return std::nullopt;
  return fixed_at<uint64_t>(head);
}
inline bool is_record(std::string_view record, const char* tail) {
  return fixed_at<uint32_t>(tail) == masked_crc32c(crc32c(record));
}

}  // namespace footlight::wire
