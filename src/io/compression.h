// gzip (RFC 1952) and Zstandard (RFC 8878) as streams: bytes in, bytes out, in pieces of any size.
//
// A decoder takes files of several members or frames one after the other, as `cat a.gz b.gz` makes them, and checks
// their checksums. It throws Error naming the file when the data are damaged or are followed by something else; that
// they end too early shows in at_boundary(). A zstd file whose window is beyond 128 MB (`zstd --long=28` or more) is
// refused. An encoder writes no name and no time, so the same bytes give the same file.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace plumbline {

enum class Compression { none, gzip, zstd };

Compression compression_of_name(std::string_view path);   // .gz, .zst, in any case of letters
Compression compression_of_bytes(std::string_view head);  // by the first four bytes; no text file starts like these
const char* name_of(Compression compression);

class Decoder {
 public:
  virtual ~Decoder() = default;

  // Decodes from the front of `input`, takes off what it used, and returns the count of bytes put into `output`. It has
  // done all it can when nothing moves any more.
  virtual std::size_t decode(std::string_view& input, std::span<char> output) = 0;

  virtual bool at_boundary() const = 0;  // whether the input may end here
  virtual void reset() = 0;              // to the start of a file
};

class Encoder {
 public:
  virtual ~Encoder() = default;

  // As Decoder::decode. All of `input` is taken once the output has room left.
  virtual std::size_t encode(std::string_view& input, std::span<char> output) = 0;

  // What is left when the input has ended; 0 when there is no more.
  virtual std::size_t finish(std::span<char> output) = 0;
};

// `name` is the file's, for messages. Compression::none gives a null pointer.
std::unique_ptr<Decoder> make_decoder(Compression compression, const std::string& name);
std::unique_ptr<Encoder> make_encoder(Compression compression);

// One each of gzip.cpp and zstd.cpp, or all of no_compression.cpp, which refuse.
std::unique_ptr<Decoder> make_gzip_decoder(const std::string& name);
std::unique_ptr<Decoder> make_zstd_decoder(const std::string& name);
std::unique_ptr<Encoder> make_gzip_encoder();
std::unique_ptr<Encoder> make_zstd_encoder();

[[noreturn]] void refuse_damaged(Compression compression, const std::string& name, std::string_view reason);
[[noreturn]] void refuse_trailing(Compression compression, const std::string& name);

}  // namespace plumbline
