// A moments file is refused with an Error, or what is read from it is written as the same bytes. Bytes are tried as
// they are, and with the checksum that belongs to them, for nothing else would ever be reached.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/checksum.h"
#include "plumbline/error.h"
#include "plumbline/moments.h"

namespace {

using namespace plumbline;

void check(std::string_view bytes) {
  std::string written;
  try {
    written = Moments::from_bytes(bytes).to_bytes();
  } catch (const Error&) {
    return;
  }
  if (written != bytes) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check(bytes);
  if (size < sizeof(std::uint64_t)) return 0;
  std::string sealed(bytes.substr(0, size - sizeof(std::uint64_t)));
  const std::uint64_t sum = checksum(sealed);
  sealed.append(reinterpret_cast<const char*>(&sum), sizeof sum);
  check(sealed);
  return 0;
}
