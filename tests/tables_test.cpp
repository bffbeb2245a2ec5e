// Tables of numbers and categories: read, encoded, summed, merged and written.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <charconv>
#include <sstream>

#include "debias/encoding_json.h"
#include "message_of.h"
#include "plumbline/fit.h"
#include "random_data.h"
#include "roles.h"
#include "scratch_folder.h"
#include "tables/learn_encoding.h"
#include "tables/schema.h"
#include "tables/table_moments.h"
#include "tables/table_transform.h"

namespace plumbline {
namespace {

using testing::MatrixXd;
using testing::message_of;
using testing::Random;
using testing::remedy_of;
using testing::Roles;
using testing::schema_of;

std::string text_of(double value) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

class TableTest : public ::testing::TestWithParam<unsigned> {
 protected:
  std::string write(const std::string& name, const std::string& text) const { return folder.put(name, text); }

  testing::ScratchFolder folder;
};

// Rows of id, group, b, x, y: the group and b are sensitive, and a cell of x is missing now and then.
struct People {
  std::vector<std::string> lines;
  std::vector<int> group;
  std::vector<double> b, x, y, weight;
  std::vector<bool> missing;

  People(unsigned seed, Index rows, int groups, double missing_share) {
    Random random(seed);
    for (Index i = 0; i < rows; ++i) {
      group.push_back(static_cast<int>(random.integer(0, groups - 1)));
      b.push_back(random.normal());
      x.push_back(2 * b.back() + group.back() + random.normal());
      y.push_back(-b.back() + random.normal());
      weight.push_back(static_cast<double>(random.integer(0, 3)));
      missing.push_back(random.uniform(0, 1) < missing_share);
      lines.push_back("\"p," + std::to_string(i) + "\",g" + std::to_string(group.back()) + "," + text_of(b.back()) +
                      "," + (missing.back() ? "" : text_of(x.back())) + "," + text_of(y.back()) + "," +
                      text_of(weight.back()));
    }
  }

  std::string text(std::size_t first, std::size_t last) const {
    std::string out = "id,group,b,x,y,w\n";
    for (std::size_t i = first; i < last; ++i) out += lines[i] + "\n";
    return out;
  }
  std::string text() const { return text(0, lines.size()); }
};

const Roles kRoles = {.sensitive = {"group", "b"}, .left_out = {"id", "w"}};

std::vector<ColumnKind> kinds_of(const CsvTable& table) {
  std::vector<ColumnKind> out;
  for (const ColumnLook& look : look_at(table)) out.push_back(look.kind);
  return out;
}

TableMoments moments_of(const std::string& path, const Roles& roles, Missing missing, int threads = 2,
                        std::size_t chunk = 1 << 16) {
  CsvSource source(CsvTable({path}, {}, {}, chunk));
  source.allow_rereading();
  const Schema schema = schema_of(source, kinds_of(source.table()), roles);
  const ReadOptions read{threads, {}};
  const LearnedEncoding learned = learn_encoding(source, schema, missing, read);
  TableMoments out = collect_moments(source, schema.placement(), learned.encoding, std::nullopt, {.read = read});
  require_rows(source, out.moments.rows(), out.dropped, out.worst);
  return out;
}

// The same moments from matrices that are built here.
Moments expected_moments(const People& people, int groups, Missing missing, bool weighted) {
  double total = 0, weight = 0;
  for (std::size_t i = 0; i < people.x.size(); ++i) {
    const double w = weighted ? people.weight[i] : 1;
    if (people.missing[i]) continue;
    total += w * people.x[i];
    weight += w;
  }
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < people.x.size(); ++i)
    if (missing != Missing::drop || !people.missing[i]) kept.push_back(i);
  MatrixXd a(kept.size(), 2), b = MatrixXd::Zero(static_cast<Index>(kept.size()), groups + 1);
  std::vector<double> w;
  for (std::size_t r = 0; r < kept.size(); ++r) {
    const std::size_t i = kept[r];
    a(r, 0) = people.missing[i] ? total / weight : people.x[i];
    a(r, 1) = people.y[i];
    b(r, people.group[i]) = 1;
    b(r, groups) = people.b[i];
    w.push_back(people.weight[i]);
  }
  Moments out(2, groups + 1);
  out.update(a, b, {.weights = weighted ? std::span<const double>(w) : std::span<const double>()});
  return out;
}

void expect_near(const Moments& one, const Moments& two, double tolerance) {
  EXPECT_EQ(one.rows(), two.rows());
  EXPECT_NEAR(one.weight(), two.weight(), tolerance * two.weight());
  const auto near = [&](const MatrixXd& x, const MatrixXd& y) {
    ASSERT_EQ(x.rows(), y.rows());
    ASSERT_EQ(x.cols(), y.cols());
    EXPECT_LE((x - y).cwiseAbs().maxCoeff(), tolerance * (1 + y.cwiseAbs().maxCoeff()));
  };
  near(one.mean_a(), two.mean_a());
  near(one.mean_b(), two.mean_b());
  near(one.scatter_aa(), two.scatter_aa());
  near(one.scatter_ba(), two.scatter_ba());
  near(one.scatter_bb(), two.scatter_bb());
}

TEST_P(TableTest, MomentsAreThoseOfTheMatrices) {
  const People people(GetParam(), 3000, 3, 0.05);
  const std::string path = write("people.csv", people.text());
  for (const Missing missing : {Missing::drop, Missing::mean})
    for (const bool weighted : {false, true}) {
      Roles roles = kRoles;
      if (weighted) {
        roles.weights = "w";
        roles.left_out = {"id"};
      }
      const TableMoments got = moments_of(path, roles, missing);
      EXPECT_EQ(got.moments.feature_names(), (std::vector<std::string>{"x", "y"}));
      EXPECT_EQ(got.moments.sensitive_names(), (std::vector<std::string>{"group=g0", "group=g1", "group=g2", "b"}));
      expect_near(got.moments, expected_moments(people, 3, missing, weighted), 1e-12);
      const auto gone = std::count(people.missing.begin(), people.missing.end(), true);
      EXPECT_EQ(got.dropped, missing == Missing::drop ? gone : 0);
      EXPECT_EQ(got.filled, missing == Missing::mean ? gone : 0);
    }
}

TEST_P(TableTest, ThreadsAndChunksLeaveNoTrace) {
  const People people(GetParam(), 20000, 3, 0.02);
  const std::string path = write("people.csv", people.text());
  const TableMoments one = moments_of(path, kRoles, Missing::mean, 1, 1 << 20);
  for (const int threads : {2, 5})
    for (const std::size_t chunk : {1000U, 77777U})
      EXPECT_TRUE(moments_of(path, kRoles, Missing::mean, threads, chunk).moments == one.moments);
}

TEST_P(TableTest, PartsMergeToTheWholeAlthoughEachKnowsItsOwnLevels) {
  People people(GetParam(), 9000, 4, 0);
  const std::size_t cut = 4000;
  for (std::size_t i = 0; i < people.lines.size(); ++i) {  // the first part has no g3, the second no g0
    const int avoided = i < cut ? 3 : 0;
    if (people.group[i] != avoided) continue;
    people.group[i] = 1;
    people.lines[i].replace(people.lines[i].find(",g"), 3, ",g1");
  }
  const TableMoments whole = moments_of(write("all.csv", people.text()), kRoles, Missing::error);
  TableMoments sum = moments_of(write("one.csv", people.text(0, cut)), kRoles, Missing::error);
  EXPECT_EQ(sum.moments.sensitive(), 4);
  sum.merge(TableMoments::from_bytes(
      moments_of(write("two.csv", people.text(cut, people.lines.size())), kRoles, Missing::error).to_bytes()));
  EXPECT_TRUE(sum.encoding == whole.encoding);
  expect_near(sum.moments, whole.moments, 1e-12);
}

std::string transformed(const std::string& path, const Fit& fit, const TransformOptions& options,
                        std::size_t chunk = 1 << 16) {
  CsvSource source(CsvTable({path}, {}, {}, chunk));
  std::string out;
  transform_table(source, fit, options, [&](std::string_view text) { out += text; });
  return out;
}

TEST_P(TableTest, TheOutputIsTheMapOfTheCellsAndWhatIsKeptPassesThrough) {
  const People people(GetParam(), 2000, 3, 0);
  const std::string path = write("people.csv", people.text());
  const TableMoments sum = moments_of(path, kRoles, Missing::error);
  Fit result = fit(sum.moments);
  result.encoding = sum.encoding;
  std::vector<std::string> left_out;
  const TransformOptions telling{.tell_left_out = [&](const std::vector<std::string>& names) { left_out = names; }};
  std::string first;
  std::getline(std::istringstream(transformed(path, result, telling)), first);
  EXPECT_EQ(first, "x,y");
  EXPECT_EQ(left_out, (std::vector<std::string>{"id", "w"}));
  result.encoding->kept = {"id", "w"};
  left_out.clear();
  transformed(path, result, telling);
  EXPECT_TRUE(left_out.empty());
  std::istringstream lines(transformed(path, result, {.read = {.threads = 3}}, 5000));
  std::string line;
  ASSERT_TRUE(std::getline(lines, line));
  EXPECT_EQ(line, "id,x,y,w");
  for (std::size_t i = 0; i < people.lines.size(); ++i) {
    std::vector<double> b(4, 0.0), out(2);
    b[static_cast<std::size_t>(people.group[i])] = 1;
    b[3] = people.b[i];
    result.model.apply_row(std::vector<double>{people.x[i], people.y[i]}, b, out);
    ASSERT_TRUE(std::getline(lines, line));
    std::istringstream cells(line.substr(line.rfind('"') + 2));
    EXPECT_EQ(line.substr(0, line.rfind('"') + 1), "\"p," + std::to_string(i) + "\"");
    double x = 0, y = 0;
    char comma = 0;
    cells >> x >> comma >> y;
    EXPECT_NEAR(x, out[0], 1e-12);
    EXPECT_NEAR(y, out[1], 1e-12);
    EXPECT_EQ(line.substr(line.rfind(',') + 1), text_of(people.weight[i]));
  }
  EXPECT_FALSE(std::getline(lines, line));
}

TEST_P(TableTest, AModelFileKeepsTheEncoding) {
  const People people(GetParam(), 500, 3, 0.1);
  const TableMoments sum = moments_of(write("people.csv", people.text()), kRoles, Missing::mean);
  Fit result = fit(sum.moments);
  result.encoding = sum.encoding;
  const Fit copy = Fit::from_json(result.to_json());
  ASSERT_TRUE(copy.encoding.has_value());
  EXPECT_TRUE(*copy.encoding == *result.encoding);
  EXPECT_TRUE(copy.model == result.model);
}

INSTANTIATE_TEST_SUITE_P(Seeds, TableTest, ::testing::Range(0U, 4U));

class TableEdge : public TableTest {};

TEST_F(TableEdge, KindsComeFromTheFirstRecords) {
  const CsvTable table({write("t.csv",
                              "n,mostly,word,flag,empty,code\n"
                              "1,2,a,yes,,1\n"
                              "2,x,b,no,NA,2\n"
                              "?,3,3,T,,1\n")});
  const std::vector<ColumnKind> expected = {ColumnKind::number,  ColumnKind::number, ColumnKind::category,
                                            ColumnKind::boolean, ColumnKind::number, ColumnKind::number};
  EXPECT_EQ(kinds_of(table), expected);
}

TEST_F(TableEdge, ProblemsNameTheirPlaceAndWhatHelps) {
  const std::string path = write("t.csv", "s,x,w\n1,a,1\n2,b,1\n3,,1\n");
  const auto message = [&](const std::string& file, const Roles& roles, Missing missing) {
    return message_of([&] { moments_of(file, roles, missing, 2, 4); });
  };
  const std::string missing = message(path, {.sensitive = {"s"}}, Missing::error);
  EXPECT_NE(missing.find("t.csv', line 4, column 'x'"), std::string::npos) << missing;
  EXPECT_EQ(remedy_of([&] { moments_of(path, {.sensitive = {"s"}}, Missing::error); }), Remedy::allow_missing);
  const std::string weight =
      message(write("w.csv", "s,x,w\n1,1,1\n2,2,-1\n"), {.sensitive = {"s"}, .weights = "w"}, Missing::error);
  EXPECT_NE(weight.find("line 3, column 'w'"), std::string::npos) << weight;
  for (const char* text : {"s,x,y\n1,,2\n,,2\n", "s,x,y\n1,,a\n,,b\n"}) {
    const std::string none = message(write("n.csv", text), {.sensitive = {"s"}}, Missing::drop);
    EXPECT_NE(none.find("all 2 rows have a missing cell, most often in 'x'"), std::string::npos) << none;
  }

  TableMoments sum = moments_of(write("one.csv", "s,x\n1,a\n2,b\n3,a\n"), {.sensitive = {"s"}}, Missing::error);
  Fit result = fit(sum.moments);
  result.encoding = sum.encoding;
  const std::string later = write("later.csv", "s,x\n1,a\n2,c\n");
  const std::string unknown = message_of([&] { transformed(later, result, {}); });
  EXPECT_NE(unknown.find("line 3, column 'x': 'c' is a category"), std::string::npos) << unknown;
  EXPECT_EQ(remedy_of([&] { transformed(later, result, {}); }), Remedy::allow_unknown);
  result.encoding->unknown = Unknown::ignore;
  EXPECT_EQ(message_of([&] { transformed(later, result, {}); }), "");
  const std::string other = write("l.csv", "S,x\n1,a\n");
  const std::string lacking = message_of([&] { transformed(other, result, {}); });
  EXPECT_NE(lacking.find("l.csv' lacks sensitive columns of the model: 's' (did you mean 'S'?); the map needs them"),
            std::string::npos)
      << lacking;
  EXPECT_EQ(remedy_of([&] { transformed(other, result, {}); }), Remedy::fit_blind);
  const std::string both = message_of([&] { transformed(write("b.csv", "other\n1\n"), result, {}); });
  EXPECT_NE(both.find("b.csv' lacks columns of the model: 'x', and sensitive columns: 's'"), std::string::npos) << both;
}

TEST_F(TableEdge, AnEncodingAtOddsWithItselfIsRefused) {
  Encoding good{.features = {{"x", ColumnKind::category, {"a", "b"}}}, .sensitive = {{"s"}}};
  EXPECT_TRUE(encoding_from(json_of(good)) == good);
  const auto message = [&](const auto& change) {
    Encoding bad = good;
    change(bad);
    return message_of([&] { encoding_from(json_of(bad)); });
  };
  EXPECT_NE(message([](Encoding& e) { e.features[0].levels = {"b", "a"}; }), "");
  EXPECT_NE(message([](Encoding& e) { e.features[0].levels = {}; }), "");
  const auto have = [&](std::size_t count) {
    return message([&](Encoding& e) {
      e.features[0].levels.clear();
      for (std::size_t level = 0; level < count; ++level) e.features[0].levels.push_back(fmt::format("{:05}", level));
    });
  };
  EXPECT_EQ(have(10'000), "");
  EXPECT_NE(have(10'001).find("column 'x' has over 10000 different values"), std::string::npos);
  EXPECT_NE(message([](Encoding& e) { e.sensitive[0].name = "x"; }), "");
  EXPECT_NE(message([](Encoding& e) { e.fill_a.setZero(1); }), "");
  EXPECT_NE(message([](Encoding& e) { e.features.clear(); }), "");
  EXPECT_NE(message([](Encoding& e) { e.columns = {"s"}; }), "");
  EXPECT_NE(message([](Encoding& e) { e.columns = {"x", "x"}; }), "");
  EXPECT_NE(message([](Encoding& e) { e.unnamed = {"y"}; }), "");
  EXPECT_NE(message([](Encoding& e) { e.features[0].merged = {"c"}; }), "");
  const auto merging = [&](std::vector<std::string> merged, const char* other) {
    return message([&](Encoding& e) {
      e.features[0].merged = std::move(merged);
      e.features[0].other = other;
    });
  };
  EXPECT_EQ(merging({"c", "d"}, "other"), "");
  EXPECT_NE(merging({"d", "c"}, "other"), "");
  EXPECT_NE(merging({"b", "c"}, "other"), "");
  EXPECT_NE(merging({"c", "d"}, "a"), "");
  EXPECT_EQ(message([](Encoding& e) { e.sensitive[0].held = 1; }), "");
  EXPECT_NE(message([](Encoding& e) { e.features[0].held = 1; }), "");
  EXPECT_NE(message([](Encoding& e) { e.kept = {"x"}; }), "");
  for (const std::vector<std::string>& columns : {std::vector<std::string>{"s", "x"}, {"x"}}) {
    good.columns = good.unnamed = columns;
    EXPECT_TRUE(encoding_from(json_of(good)) == good);
  }
}

TEST_F(TableEdge, DamagedMomentsAreRefused) {
  const std::string bytes =
      moments_of(write("one.csv", "s,x\n1,a\n2,b\n3,a\n"), {.sensitive = {"s"}}, Missing::error).to_bytes();
  EXPECT_EQ(message_of([&] { TableMoments::from_bytes(bytes); }), "");
  for (std::size_t size = 0; size < bytes.size(); size += 7)
    EXPECT_NE(message_of([&] { TableMoments::from_bytes(std::string_view(bytes).substr(0, size)); }), "") << size;
  for (std::size_t i = 0; i < bytes.size(); i += 5) {
    std::string edited = bytes;
    edited[i] = static_cast<char>(edited[i] ^ 1);
    EXPECT_NE(message_of([&] { TableMoments::from_bytes(edited); }), "") << i;
  }
}

}  // namespace
}  // namespace plumbline
