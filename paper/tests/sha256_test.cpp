#include "paper/datasets/sha256.h"

#include <gtest/gtest.h>

#include "io/files.h"
#include "message_of.h"
#include "random_data.h"
#include "scratch_folder.h"

namespace plumbline {
namespace {

using testing::message_of;
using testing::Random;
using testing::ScratchFolder;

std::string sha256_of(std::string_view bytes, LineEnds line_ends = LineEnds::kept) {
  Sha256 sum(line_ends);
  sum.update(bytes);
  return sum.finish();
}

// FIPS 180-4, and the empty text.
TEST(Sha256, AgreesWithTheStandard) {
  EXPECT_EQ(sha256_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_of(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PartsOfAnySizeGiveTheSumOfTheWhole) {
  Random random(1);
  for (int round = 0; round < 200; ++round) {
    std::string text;
    for (Index i = random.integer(0, 60); i > 0; --i) text += "\r\nx"[random.integer(0, 2)];
    std::string plain;  // the same without each CR before an LF
    for (std::size_t i = 0; i < text.size(); ++i)
      if (text[i] != '\r' || i + 1 == text.size() || text[i + 1] != '\n') plain += text[i];
    Sha256 kept, unified(LineEnds::crlf_as_lf);
    for (std::size_t first = 0, count = 0; first < text.size(); first += count) {
      count = static_cast<std::size_t>(random.integer(0, 5));
      kept.update(std::string_view(text).substr(first, count));
      unified.update(std::string_view(text).substr(first, count));
    }
    EXPECT_EQ(kept.finish(), sha256_of(text));
    EXPECT_EQ(unified.finish(), sha256_of(plain));
    EXPECT_EQ(unified.finish(), sha256_of(""));  // anew
  }
}

TEST(Sha256, AFileHasTheSumOfItsBytes) {
  const ScratchFolder folder;
  std::string text;
  for (int i = 0; i < 100000; ++i) text += i % 7 == 0 ? "\r\n" : "cell,";
  write_file(folder.path() / "file", text);
  EXPECT_EQ(sha256_of_file(folder.path() / "file"), sha256_of(text));
  EXPECT_EQ(sha256_of_file(folder.path() / "file", LineEnds::crlf_as_lf), sha256_of(text, LineEnds::crlf_as_lf));
  EXPECT_NE(message_of([&] { sha256_of_file(folder.path() / "none"); }).find("none"), std::string::npos);
  EXPECT_NE(message_of([&] { sha256_of_file(folder.path()); }), "");
}

}  // namespace
}  // namespace plumbline
