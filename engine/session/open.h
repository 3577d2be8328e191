// The two implementations of Reader, and the index by id that they share.
#pragma once

#include "engine/session/assembler.h"
#include "engine/session/log.h"
#include "engine/session/reader.h"

namespace footlight::session {

struct Reader::Index : Assembler {
  using Assembler::Assembler;
};

std::unique_ptr<Reader> open_log(Descriptor file, ReadOptions options);
// `path`: SQLite may have left files beside it.
std::unique_ptr<Reader> open_database(const std::string& path, Descriptor file, ReadOptions options);
bool is_database(std::string_view first_bytes);

}  // namespace footlight::session
