// Bytes in all forms that a source may take: plain, compressed, through a pipe, from standard input.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "io/byte_source.h"
#include "io/descriptor.h"
#include "random_data.h"

namespace plumbline::testing {

inline const std::vector<Index> kSizes = {0, 1, 2, 3, 4, 5, 4095, 4096, 65536, 65537, 300000, 1 << 20, 2500000};

// Lines of numbers, then noise that no compressor shortens.
inline std::string random_bytes(Random& random, Index size) {
  std::string bytes;
  while (static_cast<Index>(bytes.size()) < size / 2) bytes += std::to_string(random.normal()) + "\n";
  while (static_cast<Index>(bytes.size()) < size) bytes += static_cast<char>(random.integer(0, 255));
  bytes.resize(static_cast<std::size_t>(size));
  return bytes;
}

// By zlib and libzstd themselves, so that reading is not compared with our own writing alone.
inline std::string gzip(const std::string& bytes) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, bytes.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<unsigned>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<unsigned>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

inline std::string zstd(const std::string& bytes) {
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(), ZSTD_freeCCtx);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  out.resize(ZSTD_compress2(context.get(), out.data(), out.size(), bytes.data(), bytes.size()));
  return out;
}

// Several members or frames, some of them empty.
template <class Compress>
inline std::string in_parts(Random& random, const std::string& bytes, const Compress& compress) {
  std::string out = compress("");
  std::size_t from = 0;
  while (from < bytes.size()) {
    const auto count = static_cast<std::size_t>(random.integer(0, static_cast<Index>(bytes.size())));
    out += compress(bytes.substr(from, count));
    from += count;
  }
  return out;
}

inline std::string skippable_frame(const std::string& content) {
  std::string out = "\x53\x2a\x4d\x18";
  const auto size = static_cast<std::uint32_t>(content.size());
  out.append(reinterpret_cast<const char*>(&size), sizeof size);
  return out + content;
}

inline std::string all_of(ByteSource& source, std::size_t size = 1 << 20) {
  std::string out;
  for (std::string_view block = source.next_block(size); !block.empty(); block = source.next_block(size)) out += block;
  return out;
}

inline std::string all_of(const std::string& path) { return all_of(*open_bytes(path)); }

// A pipe with a name, and a writer that delivers in pieces of random size.
class SlowPipe {
 public:
  SlowPipe(std::string path, const std::string& bytes, unsigned seed) : path_(std::move(path)) {
    EXPECT_EQ(::mkfifo(path_.c_str(), 0600), 0);
    writer_ = std::jthread([this, bytes, seed] {
      // A test that fails may stop reading; that is no reason for all of them to end.
      sigset_t pipe_signal;
      ::sigemptyset(&pipe_signal);
      ::sigaddset(&pipe_signal, SIGPIPE);
      ::pthread_sigmask(SIG_BLOCK, &pipe_signal, nullptr);
      Random random(seed);
      const Descriptor file(::open(path_.c_str(), O_WRONLY | O_CLOEXEC));
      for (std::size_t from = 0; from < bytes.size();) {
        const auto count = static_cast<std::size_t>(random.integer(1, 40000));
        if (!write_fully(file, std::string_view(bytes).substr(from, count))) return;
        from += count;
      }
    });
  }
  ~SlowPipe() {
    writer_.join();
    ::unlink(path_.c_str());
  }

  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::jthread writer_;
};

// Standard input, output or error is another file as long as this lives.
class Redirected {
 public:
  Redirected(int number, int file) : number_(number), before_(::dup(number)) { ::dup2(file, number); }
  Redirected(const Redirected&) = delete;
  Redirected& operator=(const Redirected&) = delete;
  ~Redirected() {
    ::dup2(before_, number_);
    ::close(before_);
  }

 private:
  int number_, before_;
};

}  // namespace plumbline::testing
