// Decompresses data that may be damaged or hostile.
#pragma once

#include <string>

namespace footlight {

// A gzip file may have several members, one behind the other, whose contents make one; zlib's format has no members,
// and what follows its end is not looked at. Error where the data are not whole.
std::string inflated(const std::string& in, bool is_gzip);

}  // namespace footlight
