// Snappy's compression: blocks of the tables of other writers, files of saved datasets.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace footlight {

// Replaces `out`; false for what is not valid or gives more than `most` bytes.
bool unpack_snappy(std::string_view bytes, size_t most, std::string& out);

std::string pack_snappy(std::string_view bytes);

}  // namespace footlight
