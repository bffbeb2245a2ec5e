// In place of gzip.cpp and zstd.cpp in a build without PLUMBLINE_COMPRESSION.
#include <fmt/format.h>

#include "io/compression.h"
#include "io/descriptor.h"
#include "plumbline/error.h"

namespace plumbline {
namespace {

[[noreturn]] void refuse(const std::string& name) {
  throw Error(fmt::format("{} is compressed, but this build of Plumbline is without compression; decompress it",
                          in_quotes(name)));
}

[[noreturn]] void refuse_to_write() {
  throw Error("this build of Plumbline cannot compress; choose an output without .gz or .zst");
}

}  // namespace

std::unique_ptr<Decoder> make_gzip_decoder(const std::string& name) { refuse(name); }
std::unique_ptr<Decoder> make_zstd_decoder(const std::string& name) { refuse(name); }
std::unique_ptr<Encoder> make_gzip_encoder() { refuse_to_write(); }
std::unique_ptr<Encoder> make_zstd_encoder() { refuse_to_write(); }

}  // namespace plumbline
