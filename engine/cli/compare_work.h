// Two recordings by kernel and by phase of the program: what appeared, vanished, became slower or faster.
#pragma once

#include "engine/session/reader.h"

#include <string>

namespace footlight::cli {

// Tables of the largest differences; empty where neither recording has such work.
std::string compared_work(const session::Reader& left, const session::Reader& right);

}  // namespace footlight::cli
