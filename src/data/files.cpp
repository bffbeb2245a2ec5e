#include "data/files.h"

#include "data/byte_source.h"
#include "data/output_file.h"

namespace plumbline {

std::string read_file(const std::filesystem::path& path) {
  constexpr std::size_t kBlock = std::size_t{1} << 20;
  const std::unique_ptr<ByteSource> source = open_bytes(path.string());
  std::string bytes;
  for (std::string_view block = source->next_block(kBlock); !block.empty(); block = source->next_block(kBlock))
    bytes += block;
  return bytes;
}

void write_file(const std::filesystem::path& path, std::string_view bytes) {
  OutputFile file(path.string(), {.force = true});
  file.write(bytes);
  file.commit();
}

}  // namespace plumbline
