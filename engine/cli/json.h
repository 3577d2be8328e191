// Just enough JSON to print the contents of a session, and to tell whether a text from one is JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace footlight::cli {

std::string json_text(std::string_view text);  // quoted; invalid UTF-8 becomes U+FFFD
void append_json_text(std::string& out, std::string_view text);
bool is_json_object(std::string_view text);    // a whole one, in valid UTF-8

// An object, in the order in which its members are added.
class JsonObject {
 public:
  JsonObject& add(const char* key, std::string_view text) { return raw(key, json_text(text)); }
  JsonObject& add(const char* key, const char* text) { return raw(key, json_text(text)); }
  JsonObject& add(const char* key, const std::string& text) { return raw(key, json_text(text)); }
  JsonObject& add(const char* key, int64_t number) { return raw(key, std::to_string(number)); }
  JsonObject& add(const char* key, uint64_t number) { return raw(key, std::to_string(number)); }
  JsonObject& add(const char* key, int number) { return raw(key, std::to_string(number)); }
  JsonObject& add(const char* key, bool yes) { return raw(key, yes ? "true" : "false"); }
  JsonObject& raw(const char* key, const std::string& json);
  std::string lines() const;    // one member a line
  std::string inline_() const;  // all in one line

 private:
  std::vector<std::string> members_;
};

std::string json_list(const std::vector<std::string>& elements);  // of JSON

}  // namespace footlight::cli
