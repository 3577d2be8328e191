// Texts of code that is in no file, such as the cells of a notebook.
#pragma once

#include <optional>
#include <string>

namespace footlight::session {

struct GivenSource {
  std::string name;  // what a recording calls the file: "cell [3]"
  std::string text;
};

// Code objects name such code by `path`. From now on, Writer::file(path) records the given name and text.
void give_source(std::string path, GivenSource source);
std::optional<GivenSource> given_source(const std::string& path);

}  // namespace footlight::session
