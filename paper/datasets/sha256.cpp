#include "paper/datasets/sha256.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <vector>

#include "plumbline/error.h"

namespace plumbline {
namespace {

void require(bool done) {
  if (!done) throw Error("OpenSSL cannot compute a SHA-256 checksum here; look at its configuration");
}

}  // namespace

void Sha256::Free::operator()(evp_md_ctx_st* context) const { EVP_MD_CTX_free(context); }

Sha256::Sha256(LineEnds line_ends) : context_(EVP_MD_CTX_new()), line_ends_(line_ends) {
  require(context_ != nullptr);
  start();
}

void Sha256::start() {
  require(EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1);
  held_cr_ = false;
}

void Sha256::add(std::string_view bytes) {
  if (!bytes.empty()) require(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1);
}

void Sha256::update(std::string_view bytes) {
  if (line_ends_ == LineEnds::kept) return add(bytes);
  while (!bytes.empty()) {
    if (held_cr_ && bytes.front() != '\n') add("\r");
    const std::size_t cr = bytes.find('\r');
    held_cr_ = cr != std::string_view::npos;
    add(bytes.substr(0, cr));
    bytes.remove_prefix(held_cr_ ? cr + 1 : bytes.size());
  }
}

std::string Sha256::finish() {
  if (held_cr_) add("\r");
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned size = 0;
  require(EVP_DigestFinal_ex(context_.get(), digest.data(), &size) == 1);
  std::string text;
  for (unsigned i = 0; i < size; ++i) text += fmt::format("{:02x}", digest[i]);
  start();
  return text;
}

std::string sha256_of_file(const std::filesystem::path& path, LineEnds line_ends) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(fmt::format("cannot open '{}': {}", path.string(), std::strerror(errno)));
  Sha256 sum(line_ends);
  std::vector<char> part(1 << 16);
  while (file) {
    file.read(part.data(), static_cast<std::streamsize>(part.size()));
    sum.update({part.data(), static_cast<std::size_t>(file.gcount())});
  }
  if (file.bad()) throw Error(fmt::format("cannot read '{}': {}", path.string(), std::strerror(errno)));
  return sum.finish();
}

}  // namespace plumbline
