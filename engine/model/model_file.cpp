// Finds out which kind of model a path is, and reads it.
#include "engine/model/model_file.h"

#include "engine/base/errors.h"
#include "engine/base/text.h"
#include "engine/model/parts.h"

#include <cstdio>
#include <filesystem>
#include <memory>

namespace footlight::model {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kLargest = uint64_t{1} << 31;  // what protobuf, too, has as its limit

std::string content_of(const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) fail(ErrorKind::kNotFound, path, ": there is no such file");
  const uint64_t size = fs::file_size(path, error);
  if (error) fail(ErrorKind::kNotFound, path, ": ", error.message());
  if (size >= kLargest) fail(ErrorKind::kValue, path, ": it has 2 GiB or more, the limit of such files");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) fail(ErrorKind::kNotFound, path, ": it cannot be opened");
  std::string content(size, '\0');
  content.resize(std::fread(content.data(), 1, content.size(), file.get()));
  return content;
}

bool is_folder(const std::string& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}
std::string inside(const std::string& folder, const char* name) { return (fs::path(folder) / name).string(); }

std::string file_of(const std::string& path) {
  if (!is_folder(path)) return path;
  std::error_code error;
  for (const char* name : {"saved_model.pb", "saved_model.pbtxt"})
    if (fs::is_regular_file(inside(path, name), error)) return inside(path, name);
  return "";
}

bool is_saved_model(std::string_view form) { return form.find("saved_model.pb") != std::string_view::npos; }

}  // namespace

bool looks_like_model(const std::string& path) {
  if (path.ends_with(".xplane.pb")) return false;  // a recording of a profiler
  if (is_folder(path)) return !file_of(path).empty();
  return path.ends_with(".pb") || path.ends_with(".pbtxt") || path.ends_with(".keras");
}

ModelFile read_model_bytes(std::string_view bytes, std::string_view form) {
  ModelFile model;
  std::vector<std::unique_ptr<std::string>> strings;
  if (form.ends_with(".keras")) {
    model.kind = "Keras model";
    read_keras(model, bytes);
    return model;
  }
  const bool saved = is_saved_model(form);
  model.kind = saved ? "SavedModel" : "GraphDef";
  const Schema& schema = saved ? saved_model_schema() : graph_def_schema();
  const Message message =
      form.ends_with(".pbtxt") ? read_text(schema, bytes, strings) : read_bytes(schema, bytes);
  if (saved) {
    read_saved_model(model, message);
  } else {
    std::map<std::string, GraphId, std::less<>> ids;
    add_graphs(model, message, ids);
    if (model.graphs.empty()) fail(ErrorKind::kValue, "not a GraphDef: it has no nodes");
  }
  return model;
}

ModelFile read_model(const std::string& path) {
  const std::string file = file_of(path);
  if (file.empty())
    fail(ErrorKind::kNotFound, path,
         ": the folder is not a SavedModel: it contains neither saved_model.pb nor saved_model.pbtxt");
  const std::string content = content_of(file);
  try {
    ModelFile model = read_model_bytes(content, fs::path(file).filename().string());
    model.path = path;
    return model;
  } catch (const Error& error) {
    throw Error(error.kind(), file + ": " + error.message());
  }
}

}  // namespace footlight::model
