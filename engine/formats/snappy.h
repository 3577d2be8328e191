// Snappy's compression, read only: tables of other writers may have blocks of it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace footlight::formats {

// Replaces `out`; false for what is not valid or gives more than `most` bytes.
bool unpack_snappy(std::string_view bytes, size_t most, std::string& out);

}  // namespace footlight::formats
