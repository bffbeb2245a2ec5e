#include "io/compression.h"

#include <gtest/gtest.h>

#include "byte_forms.h"
#include "io/byte_source.h"
#include "message_of.h"
#include "random_data.h"
#include "scratch_folder.h"

namespace plumbline {
namespace {

using testing::all_of;
using testing::gzip;
using testing::message_of;
using testing::Random;
using testing::random_bytes;
using testing::ScratchFolder;
using testing::zstd;

TEST(Compression, DamagedFilesAreRefusedOrGiveTheSameBytes) {
  const ScratchFolder folder;
  Random random(8);
  const std::string bytes = random_bytes(random, 3000);
  for (const bool is_gzip : {true, false}) {
    const std::string good = is_gzip ? gzip(bytes) : zstd(bytes);
    const char* name = is_gzip ? "a.gz" : "a.zst";
    for (int round = 0; round < 400; ++round) {
      std::string bad = good;
      bad[static_cast<std::size_t>(random.integer(0, static_cast<Index>(good.size()) - 1))] ^=
          static_cast<char>(1 << random.integer(0, 7));
      const std::string path = folder.put(name, bad);
      std::string read;
      const std::string message = message_of([&] { read = all_of(path); });
      if (message.empty()) {
        EXPECT_EQ(read, bytes);  // a bit that means nothing, as that of the operating system
      } else {
        EXPECT_NE(message.find(path), std::string::npos) << message;
      }
    }
  }
}

TEST(Compression, CutFilesAreRefused) {
  const ScratchFolder folder;
  Random random(9);
  const std::string bytes = random_bytes(random, 700);
  for (const bool is_gzip : {true, false}) {
    const std::string good = is_gzip ? gzip(bytes) : zstd(bytes);
    for (std::size_t size = 0; size < good.size(); ++size) {
      const std::string path = folder.put(is_gzip ? "a.gz" : "a.zst", good.substr(0, size));
      const std::string message = message_of([&] { all_of(path); });
      EXPECT_NE(message.find(path), std::string::npos) << size;
      if (size >= 4) {
        EXPECT_NE(message.find("cut short"), std::string::npos) << message;
      }
    }
    // Also where the cut is in a later member.
    for (const std::size_t size : {std::size_t{5}, std::size_t{20}, good.size() - 1}) {
      const std::string path = folder.put("cut", good + good.substr(0, size));
      EXPECT_NE(message_of([&] { all_of(path); }).find("cut short"), std::string::npos) << size;
    }
  }
}

TEST(Compression, BytesAfterTheEndAreRefused) {
  const ScratchFolder folder;
  for (const std::string& good : {gzip("a,b\n1,2\n"), zstd("a,b\n1,2\n")})
    for (const std::string& rest :
         {std::string("plain text"), std::string(512, '\0'), good == gzip("a,b\n1,2\n") ? zstd("x") : gzip("x")}) {
      const std::string message = message_of([&] { all_of(folder.put("a", good + rest)); });
      EXPECT_NE(message.find("after the end"), std::string::npos) << message;
    }
}

TEST(Compression, NamesThatPromiseWhatIsNotThereAreRefused) {
  const ScratchFolder folder;
  const auto message = [&](const char* name, const std::string& bytes) {
    return message_of([&] { open_bytes(folder.put(name, bytes)); });
  };
  EXPECT_NE(message("a.csv.gz", "a,b\n1,2\n").find("a.csv.gz' is called .gz but holds no gzip data; rename it"),
            std::string::npos);
  EXPECT_NE(message("a.gz", "").find("is called .gz but is empty"), std::string::npos);
  EXPECT_NE(message("a.gz", zstd("x")).find("is called .gz but holds zstd data"), std::string::npos);
  EXPECT_NE(message("a.zst", "x").find("is called .zst but holds no zstd data"), std::string::npos);
  EXPECT_NE(message("a.zst", gzip("x")).find("is called .zst but holds gzip data"), std::string::npos);
  EXPECT_EQ(message("a.gzip", "x"), "");
}

}  // namespace
}  // namespace plumbline
