#include "io/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "io/byte_source.h"
#include "io/descriptor.h"
#include "io/output_file.h"
#include "plumbline/error.h"

namespace plumbline {

std::string read_file(const std::filesystem::path& path) {
  constexpr std::uint64_t kBlock = 1 << 20, kAnyExpansion = 64 << 20, kMostExpansion = 64;
  const std::unique_ptr<ByteSource> source = open_bytes(path.string());
  std::string bytes;
  for (std::string_view block = source->next_block(kBlock); !block.empty(); block = source->next_block(kBlock)) {
    bytes += block;
    const std::uint64_t size = source->bytes_total().value_or(source->bytes_consumed());
    if (bytes.size() > std::max(kAnyExpansion, kMostExpansion * size))
      throw Error(
          fmt::format("{} expands to more than 64 times its size, and may be made to fill the memory; if it is "
                      "yours, expand it first",
                      in_quotes(source->name())));
  }
  return bytes;
}

void write_file(const std::filesystem::path& path, std::string_view bytes) {
  OutputFile file(path.string(), {.force = true});
  file.write(bytes);
  file.commit();
}

}  // namespace plumbline
