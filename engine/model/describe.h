// A model as a page of text, and as a session, so that everything that shows sessions shows models too.
#pragma once

#include "engine/model/model_file.h"

namespace footlight::model {

// `lines` gets the line of each function, from 1; 0: left out. At most `most` lines of each list.
std::string describe(const ModelFile& model, size_t most, std::vector<int>* lines = nullptr);

// Writes a session in which each function, and each graph that none of them has, is a traced function, and
// the page is its source. Throws Error (kIo).
void write_session(const ModelFile& model, const std::string& path);

}  // namespace footlight::model
