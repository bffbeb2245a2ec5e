// What an expansion refuses, and how it says so.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "message_of.h"
#include "plumbline/error.h"
#include "plumbline/expansion.h"
#include "random_data.h"

namespace plumbline {
namespace {

using testing::MatrixXd;
using testing::message_of;
using testing::Random;
using Names = std::vector<std::string>;

TEST(ExpansionBadInput, OptionsNameTheirField) {
  const MatrixXd b = MatrixXd::Random(50, 2);
  const auto message = [&](const ExpansionOptions& options) {
    return message_of([&] { Expansion::fit(b, {"x", "y"}, options); });
  };
  EXPECT_NE(message({.powers = 0}).find("powers is 0"), std::string::npos);
  EXPECT_NE(message({.knots = 2}).find("knots is 2; it must be 0 or from 3"), std::string::npos);
  EXPECT_NE(message({.knots = -1}).find("knots is -1"), std::string::npos);
  EXPECT_NE(message({.bins = 1}).find("bins is 1; it must be 0 or from 2"), std::string::npos);
  EXPECT_NE(message({.bins = 1001}).find("bins is 1001"), std::string::npos);
  EXPECT_NE(message({.one_hot = {2}}).find("one_hot names column 2; there are 2"), std::string::npos);
  EXPECT_NE(message({.one_hot = {-1}}).find("one_hot names column -1"), std::string::npos);
  EXPECT_NE(message({.one_hot = {1, 0, 1}}).find("one_hot names column 1 twice"), std::string::npos);
}

TEST(ExpansionBadInput, ShapesAndRangesAreChecked) {
  Random random(4);
  const MatrixXd b = random.matrix(5000, 2);
  const auto message = [&](const Columns& table, const Names& names, const ExpansionOptions& options = {}) {
    return message_of([&] { Expansion::fit(table, names, options); });
  };
  EXPECT_NE(message(b, {"x"}).find("1 names for 2 columns"), std::string::npos);
  EXPECT_NE(message(b.topRows(0), {"x", "y"}).find("0 rows"), std::string::npos);
  EXPECT_NE(message(Columns(), {}).find("no sensitive columns"), std::string::npos);
  EXPECT_NE(message(b, {"x", "y"}, {.one_hot = {1}}).find("column 'y' has 5000 levels"), std::string::npos);
  EXPECT_NE(message(b.topRows(900), {"x", "y"}, {.interactions = true, .one_hot = {0, 1}}).find("over 100000 outputs"),
            std::string::npos);
  for (const double scale : {1e200, 1e-200, 4e307}) {
    const MatrixXd extreme = b * scale;
    EXPECT_NE(message(extreme, {"x", "y"}).find("column 'x' has values from"), std::string::npos) << scale;
  }
  const Expansion phi = Expansion::fit(b, {"x", "y"}, {.powers = 3, .knots = 4, .interactions = true});
  EXPECT_NE(message_of([&] { phi.transform(b.leftCols(1)); }).find("b has 1 columns"), std::string::npos);
  MatrixXd far = b.topRows(700);
  far(600, 1) = 1e200;
  EXPECT_NE(message_of([&] { phi.transform(far); }).find("row 600, output 'y^2' leaves the range"), std::string::npos);
  MatrixXd out(10, phi.outputs());
  EXPECT_THROW(phi.evaluate(b.data(), 5000, 10, out.data(), 9), Error);
  EXPECT_THROW(phi.evaluate(b.data(), 5000, -1, out.data(), 10), Error);
}

TEST(ExpansionBadInput, WeightsAreChecked) {
  const MatrixXd b = MatrixXd::Random(4, 1);
  const auto message = [&](const std::vector<double>& weights) {
    return message_of([&] { Expansion::fit(b, {"x"}, {}, weights); });
  };
  EXPECT_NE(message({1, 1}).find("2 weights for 4 rows"), std::string::npos);
  EXPECT_NE(message({1, 1, -1, 1}).find("row 2: the weight is -1"), std::string::npos);
  EXPECT_NE(message({1, 1, 1, std::nan("")}).find("row 3: the weight is nan"), std::string::npos);
  EXPECT_NE(message({1e308, 1e308, 1, 1}).find("weights"), std::string::npos);
  EXPECT_NE(message({0, 0, 0, 0}).find("every weight is zero"), std::string::npos);
  EXPECT_NE(message({1e307, 0, 1e-300, 2}).find("squares"), std::string::npos);
  EXPECT_EQ(message({1e200, 0, 1e-50, 2}), "");
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(ExpansionJson, MalformedTextIsRefused) {
  MatrixXd b(6, 2);
  b << 1, 0, 2, 1, 3, 0, 4, 1, 5, 2, 6, 0;
  const Expansion phi = Expansion::fit(b, {"age", "race"}, {.powers = 2, .knots = 3, .bins = 2, .one_hot = {1}});
  const std::string text = phi.to_json();
  for (std::size_t i = 0; i < text.size(); ++i) EXPECT_THROW(Expansion::from_json(text.substr(0, i)), Error) << i;
  for (const std::string field : {"format", "version", "powers", "interactions", "ignore_unknown", "columns", "outputs",
                                  "name", "mean", "sd", "knots", "edges", "levels"}) {
    const std::string without = replaced(text, "\"" + field + "\":", "\"other\":");
    EXPECT_NE(message_of([&] { Expansion::from_json(without); }), "") << field;
    for (const std::string value : {"null", "{}", "[null]", "\"x\"", "-1", "1e999", "[1,\"x\"]", "[[1]]", "[1,1,1]"}) {
      if (field == "mean" && value == "-1") continue;
      const std::string wrong = replaced(text, "\"" + field + "\":", "\"" + field + "\":" + value + ",\"other\":");
      EXPECT_THROW(Expansion::from_json(wrong), Error) << wrong;
    }
  }
  const auto refused = [&](const std::string& from, const std::string& to) {
    return message_of([&] { Expansion::from_json(replaced(text, from, to)); });
  };
  EXPECT_NE(refused("\"version\":1", "\"version\":3").find("version 3"), std::string::npos);
  EXPECT_NE(refused("\"powers\":2", "\"powers\":1").find("'outputs'"), std::string::npos);
  EXPECT_NE(refused("\"powers\":2", "\"powers\":true").find("'powers'"), std::string::npos);
  EXPECT_NE(refused("\"powers\":2", "\"powers\":18446744073709551615").find("'powers'"), std::string::npos);
  EXPECT_NE(refused("\"powers\":2", "\"powers\":1001").find("powers is 1001"), std::string::npos);
  EXPECT_NE(refused("\"edges\":[", "\"edges\":[-1,").find("'outputs'"), std::string::npos);
  EXPECT_NE(refused("\"edges\":[", "\"edges\":[9,").find("increasing"), std::string::npos);
  EXPECT_NE(refused("\"levels\":[0.0,", "\"levels\":[").find("'outputs'"), std::string::npos);
  EXPECT_NE(refused("\"knots\":[", "\"knots\":[-1e308,0,1e308],\"k\":[").find("'knots'"), std::string::npos);
  EXPECT_NE(refused("\"sd\":", "\"sd\":0,\"s\":").find("'sd'"), std::string::npos);
  for (const std::string other : {"", "[]", "null", "3", "\"text\"", "{}", "\xff"})
    EXPECT_THROW(Expansion::from_json(other), Error) << other;
  EXPECT_THROW(Expansion::from_json(std::string(1000000, '[')), Error);
}

TEST(ExpansionJson, NamesAreAnyUtf8Text) {
  const MatrixXd b = MatrixXd::Random(20, 2);
  const Expansion phi = Expansion::fit(b, {"äge, \"years\"\n", ""}, {.powers = 2, .interactions = true});
  EXPECT_EQ(Expansion::from_json(phi.to_json()), phi);
  EXPECT_NE(message_of([&] { Expansion::fit(b, {"\xff", "y"}).to_json(); }).find("UTF-8"), std::string::npos);
}

}  // namespace
}  // namespace plumbline
