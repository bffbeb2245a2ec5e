// Whole files. Writing goes to a temporary name in the same folder, is synchronised to disk, and is then renamed, so
// a crash or a full disk leaves the old file or none. Both throw Error with the path and the system's reason.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace plumbline {

std::string read_file(const std::filesystem::path& path);
void write_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace plumbline
