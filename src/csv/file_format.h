// What an input is that is no CSV, by its first bytes:
//
//   UTF-16, UTF-32   a byte order mark, or NUL at every other place
//   Parquet, Arrow and Feather, ORC, SQLite, Excel, zip
//
// Names of columns may start as such files do (PK, ORC), so bytes that are no text must follow.
#pragma once

#include <string>
#include <string_view>

namespace plumbline {

// Throws RemediableError that names the format; its cell is a command that writes such a file as CSV.
void refuse_other_formats(std::string_view head, const std::string& input);

}  // namespace plumbline
