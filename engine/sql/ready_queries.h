// Statements that answer what is asked most, for the list in the window and `footlight sql --query`.
#pragma once

#include <span>
#include <string_view>

namespace footlight::sql {

struct ReadyQuery {
  const char* name;       // on the command line
  const char* title;      // title in the window
  const char* statement;
};
std::span<const ReadyQuery> ready_queries();
const ReadyQuery* ready_query(std::string_view name);  // null if no query has that name

}  // namespace footlight::sql
