// SHA-256 of bytes that come in parts of any size, by OpenSSL.
//
// A text file that has been published with both kinds of line ends is one file: LineEnds::crlf_as_lf leaves out every
// CR that stands before an LF, also where the two come in different parts.
//
// Throws Error when the file cannot be read or OpenSSL refuses.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

struct evp_md_ctx_st;

namespace plumbline {

enum class LineEnds { kept, crlf_as_lf };

class Sha256 {
 public:
  explicit Sha256(LineEnds line_ends = LineEnds::kept);

  void update(std::string_view bytes);
  std::string finish();  // 64 hexadecimal digits, lower case; what is updated after it starts anew

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };

  void start();
  void add(std::string_view bytes);

  std::unique_ptr<evp_md_ctx_st, Free> context_;
  LineEnds line_ends_;
  bool held_cr_ = false;  // the last byte was a CR, and is not yet counted
};

std::string sha256_of_file(const std::filesystem::path& path, LineEnds line_ends = LineEnds::kept);

}  // namespace plumbline
