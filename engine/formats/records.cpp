// Writing and reading records.
#include "engine/formats/records.h"

#include "engine/base/text.h"
#include "engine/base/crc32c.h"
#include "engine/formats/wire.h"

namespace footlight::formats {

void put_record(std::string& out, std::string_view record) {
  std::string size;
  put_fixed(size, uint64_t{record.size()});
  out += size;
  put_fixed(out, masked_crc32c(crc32c(size)));
  out.append(record);
  put_fixed(out, masked_crc32c(crc32c(record)));
}

bool take_record(std::string_view& bytes, std::string_view& record, size_t most) {
  if (bytes.size() < 12) return false;
  const auto size = fixed_at<uint64_t>(bytes.data());
  if (fixed_at<uint32_t>(bytes.data() + 8) != masked_crc32c(crc32c(bytes.substr(0, 8))))
    fail(ErrorKind::kDataLoss, "the size of a record does not match its checksum");
  if (size > most) fail(ErrorKind::kDataLoss, "a record has ", size, " bytes: at most ", most, " are read");
  if (bytes.size() - 12 < size || bytes.size() - 12 - size < 4) return false;
  record = bytes.substr(12, size);
  if (fixed_at<uint32_t>(record.data() + size) != masked_crc32c(crc32c(record)))
    fail(ErrorKind::kDataLoss, "a record does not match its checksum");
  bytes.remove_prefix(16 + size);
  return true;
}

}  // namespace footlight::formats
