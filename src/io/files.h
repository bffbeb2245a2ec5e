// Whole files, by the rules of byte_source.h and output_file.h: compressed ones are read and written as such, `-` is
// standard input or output, and a file that exists is replaced, at once and as a whole. Both throw Error with the path,
// the system's reason and what to do. A compressed file may expand to 64 MB, or to 64 times its size if that is more;
// beyond that it throws Error, so that a small file cannot fill the memory.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace plumbline {

std::string read_file(const std::filesystem::path& path);
void write_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace plumbline
