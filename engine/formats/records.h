// TFRecord's framing: size, checksum of the size, bytes, checksum of the bytes.
#pragma once

#include <string>
#include <string_view>

namespace footlight::formats {

void put_record(std::string& out, std::string_view record);
// Takes a record off the front. False at the end, also at the end of a file that is still being written; throws
// kDataLoss for bytes that do not match their checksum, and for a record of more than `most` bytes.
bool take_record(std::string_view& bytes, std::string_view& record, size_t most = size_t{1} << 30);

}  // namespace footlight::formats
