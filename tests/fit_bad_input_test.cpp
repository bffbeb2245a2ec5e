// What fit and the files of its results refuse, and in which words.
#include <gtest/gtest.h>

#include "base/json.h"
#include "message_of.h"
#include "plumbline/error.h"
#include "plumbline/fit.h"
#include "random_data.h"

namespace plumbline {
namespace {

using testing::MatrixXd;
using testing::message_of;
using testing::Random;

TEST(FitBadInput, SaysWhatIsWrong) {
  Random random(6);
  const MatrixXd b = random.matrix(50, 2), a = random.matrix(50, 3), flat = MatrixXd::Ones(50, 2), one_a = a.topRows(1),
                 one_b = b.topRows(1);
  const auto expect = [](const std::string& message, const char* part) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  expect(message_of([&] { fit(a, flat); }), "nothing to be orthogonal to");
  expect(message_of([&] { fit(one_a, one_b); }), "nothing to be orthogonal to");
  expect(message_of([&] { fit(a, b, {.alpha = 1.5}); }), "alpha is 1.5");
  expect(message_of([&] { fit(a, b, {.alpha = std::nan("")}); }), "alpha is nan");
  expect(message_of([&] { fit(a, b, {.method = Method::sob}); }), "no rank is given");
  expect(message_of([&] { Rank::count(0); }), "rank is 0");
  expect(message_of([&] { Rank::share(1.5); }), "share of variance is 1.5");
  expect(message_of([&] { fit(a, b, {.method = Method::sob, .rank = Rank::count(1), .sob = {.l1_bound = 0.5}}); }),
         "l1_bound is 0.5");
  expect(message_of([&] { fit(a, b, {.method = Method::sob, .rank = Rank::count(1), .sob = {.tolerance = -1}}); }),
         "tolerance is -1");
  expect(message_of([&] { fit(Moments(3, 2)); }), "no rows");
  Moments cross(3, 2, Moments::Kind::cross);
  cross.update(a, b);
  expect(message_of([&] { fit(cross, {.rank = Rank::count(1)}); }), "full moments");
  expect(message_of([&] { fit(cross, {.mode = Mode::blind}); }), "full moments");
}

TEST(FitBadInput, TableOptionsNameTheirField) {
  Random random(8);
  const MatrixXd b = random.matrix(50, 2), a = random.matrix(50, 3);
  const auto expect = [&](const TableOptions& table, const char* part) {
    const std::string message = message_of([&] { fit(a, b, {}, table); });
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  expect({.feature_names = {"x"}}, "feature_names has 1 names; a has 3 columns");
  expect({.feature_names = {"x", "y", "z", "u"}}, "feature_names has 4 names");
  expect({.sensitive_names = {"x"}}, "sensitive_names has 1 names; b has 2 columns");
  expect({.sensitive_names = {"x"}, .expand = ExpansionOptions{}}, "sensitive_names has 1 names");
  expect({.expand = ExpansionOptions{.knots = 2}}, "knots is 2");
  expect({.threads = -3}, "threads is -3");
  expect({.feature_names = {"x", "y", "x"}}, "'x' names two columns");
  expect({.sensitive_names = {"age", "age"}}, "'age' names two columns");
  expect({.feature_names = {"x", "age", "z"}, .sensitive_names = {"age", "sex"}}, "'age' names two columns");
  expect({.sensitive_names = {"age", "age^2"}, .expand = ExpansionOptions{.powers = 2}}, "'age^2' names two columns");
  EXPECT_EQ(fit(a, b, {}, {.feature_names = {"x", "y", "z"}}).model.parts().feature_names[1], "y");
}

TEST(FitBadInput, ADamagedModelFileIsRefused) {
  Random random(7);
  const MatrixXd b = random.matrix(50, 1), a = random.matrix(50, 2);
  const std::string text = fit(a, b, {.rank = Rank::count(1)}).to_json();
  for (std::size_t cut = 0; cut + 2 < text.size(); cut += 7)
    EXPECT_THROW(Fit::from_json(text.substr(0, cut)), Error) << cut;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] < '0' || text[i] > '8') continue;
    std::string edited = text;
    edited[i] = static_cast<char>(edited[i] + 1);
    try {
      EXPECT_EQ(Fit::from_json(edited).to_json(), text) << i;  // a digit beyond the precision of a double
    } catch (const Error&) {
    }
  }
  std::string newer = text;
  newer.replace(newer.find("\"version\": 4"), 12, "\"version\": 7");
  EXPECT_NE(message_of([&] { Fit::from_json(newer); }).find("version 7"), std::string::npos);
  EXPECT_NE(message_of([&] { AffineModel::from_json(text); }).find("plumbline-model"), std::string::npos);
}

// Sealed as if it were ours, so that the checksum does not refuse it first.
TEST(FitBadInput, ASizeInAModelFileDoesNotAskForMemory) {
  Random random(9);
  const MatrixXd b = random.matrix(50, 1), a = random.matrix(50, 2);
  Json map = unseal(fit(a, b).model.to_json(), "plumbline-map", 2);
  for (const char* key : {"format", "version"}) map.erase(key);
  for (const std::int64_t columns : {std::int64_t{2}, std::int64_t{1} << 40, std::int64_t{1} << 60}) {
    map["output_columns"] = columns;
    EXPECT_EQ(message_of([&] { AffineModel::from_json(seal("plumbline-map", 2, map)); }),
              "'output' in the JSON has a row of the wrong length");
  }
}

TEST(FitBadInput, AModelFileThatContradictsItselfIsRefused) {
  Random random(10);
  const MatrixXd b = random.matrix(60, 2), a = random.matrix(60, 3) + b * random.matrix(2, 3);
  const Json whole = unseal(fit(a, b, {.rank = Rank::count(2), .alpha = 0.5}).to_json(), "plumbline-model", 4);
  const auto changed = [&](const std::string& pointer, const Json& value) {
    Json document = whole;
    document[Json::json_pointer(pointer)] = value;
    for (const char* key : {"format", "version"}) document.erase(key);
    return message_of([&] { Fit::from_json(seal("plumbline-model", 4, document)); });
  };
  EXPECT_EQ(changed("/options/alpha", 0.5), "");
  for (const auto& [pointer, value] :
       std::initializer_list<std::pair<const char*, Json>>{{"/options/mode", "blind"},
                                                           {"/options/alpha", 1},
                                                           {"/map/alpha", 1},
                                                           {"/certificate/alpha", 0.25},
                                                           {"/options/rank", 0},
                                                           {"/map/scores", false},
                                                           {"/certificate/rank", 1},
                                                           {"/certificate/features", 4},
                                                           {"/certificate/sensitive", 1},
                                                           {"/sob_status", Json::array({"converged"})}})
    EXPECT_TRUE(changed(pointer, value).starts_with("the model file contradicts itself: ")) << pointer;
  EXPECT_NE(changed("/certificate/after/correlation/value", -0.1), "");
  EXPECT_NE(changed("/certificate/rows", -1), "");
}

TEST(FitBadInput, JsonThatCostsMoreThanItsTextIsRefused) {
  const auto many = [](std::size_t count, const std::string& one, const std::string& open, const std::string& close) {
    std::string text = open;
    for (std::size_t i = 0; i < count; ++i) text += one;
    return text + "0" + close;
  };
  for (const char* one : {"0,", "[],", "\"\","})
    EXPECT_EQ(message_of([&] { parse_json(many(1'000, one, "[", "]"), 1'000); }),
              "the JSON has more values than its length allows for");
  EXPECT_EQ(message_of([&] { parse_json(many(1'000, "1234567890,", "[", "]"), 1'000); }), "");
  std::string keys = "{";
  for (int i = 0; i < 1001; ++i) keys += "\"" + std::to_string(i) + "\":0,";
  EXPECT_EQ(message_of([&] { parse_json(keys + "\"\":0}"); }), "an object of the JSON has more than 1000 members");
  EXPECT_EQ(message_of([&] { parse_json(many(20'000, R"({"a":{"b":1},"c":2},)", "[", "]")); }), "");
}

TEST(FitBadInput, TextThatIsNestedTooDeepIsRefused) {
  const auto nested = [](const std::string& format, std::size_t depth, const std::string& open,
                         const std::string& close) {
    std::string text = R"({"format": ")" + format + R"(", "version": 1, "checksum": "", "deep": )";
    for (std::size_t i = 0; i < depth; ++i) text += open;
    text += "1";
    for (std::size_t i = 0; i < depth; ++i) text += close;
    return text + "}";
  };
  for (const auto& braces : {std::pair<std::string, std::string>{"[", "]"}, {R"({"x": )", "}"}})
    for (const std::size_t depth : {100, 1000000}) {
      const auto deep = [&](const std::string& format) { return nested(format, depth, braces.first, braces.second); };
      const auto expect = [&](const auto& call) {
        EXPECT_NE(message_of(call).find("more than 100 levels deep"), std::string::npos) << message_of(call);
      };
      expect([&] { Fit::from_json(deep("plumbline-model")); });
      expect([&] { AffineModel::from_json(deep("plumbline-map")); });
      expect([&] { Certificate::from_json(deep("plumbline-certificate")); });
      expect([&] { Expansion::from_json(deep("plumbline-expansion")); });
    }
  EXPECT_NE(message_of([&] { Fit::from_json(nested("plumbline-model", 99, "[", "]")); }).find("checksum"),
            std::string::npos);
}

}  // namespace
}  // namespace plumbline
